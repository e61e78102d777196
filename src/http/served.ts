/**
 * The operations that a server really serves. `serve` adds each one. Every printed document lists these rows, so it never names a route
 * that does not exist, and a tool call runs the same checks and the same handler as the HTTP route.
 */
import type { Operation } from "../../schemas/operation.ts"
import type { Digest } from "../core/digest.ts"
import type { Reply } from "./call.ts"

/** One call of an operation that does not arrive as its own HTTP request: the arguments of a tool, already read as strict JSON. */
export interface Invocation {
  /** Null for an operation without a body. */
  readonly body: unknown
  readonly params: Readonly<Record<string, string>>
  /** Header fields that the handler may read. A presented payment is in `payment-signature`. */
  readonly headers: Headers
  /** Digest of the exact body bytes, or null if no bytes of this body arrived. */
  readonly bodyDigest: Digest | null
  /** Rate-limit key of the client. */
  readonly client: string
  readonly requestId: string
  readonly traceId: string
  /** Milliseconds since the epoch at arrival. */
  readonly at: number
}

export interface Served {
  readonly operation: Operation
  /**
   * Counts the call against the operation's own rate limit, checks the body (schema, bank data) and runs the handler. Throws
   * {@link import("../base/errors.ts").ServiceError} for a rejection, and any other error for a bug.
   */
  invoke(call: Invocation): Promise<Reply>
}

export class ServedOperations {
  readonly #byId = new Map<string, Served>()

  /** Throws if the id is already used. */
  add(served: Served): void {
    const { id } = served.operation
    if (this.#byId.has(id)) throw new Error(`two operations have the id ${id}`)
    this.#byId.set(id, served)
  }

  find(id: string): Served | undefined {
    return this.#byId.get(id)
  }

  /** All rows, ordered by path and method. Complete once every route is registered. */
  rows(): readonly Operation[] {
    return orderedOperations([...this.#byId.values()].map(({ operation }) => operation))
  }
}

/** Orders rows by path and method, as every document lists them. */
export function orderedOperations(rows: readonly Operation[]): readonly Operation[] {
  const key = ({ path, method }: Operation) => `${path} ${method}`
  return rows.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}
