import type { Operation } from "../../schemas/operation.ts"
import type { Signer } from "../core/signer.ts"

/** What every printed document is made of. The printers are pure functions of it. */
export interface DiscoveryParts {
  /** Public origin of the service, without a trailing slash. */
  readonly baseUrl: string
  /** Name of the operator. */
  readonly issuerName: string
  /** Every served row, ordered by path. */
  readonly operations: readonly Operation[]
  /** Version of the program. */
  readonly version: string
  /** The statement key that signs this generation of documents. */
  readonly signer: Signer
  /** Milliseconds since the epoch at which this generation is made. */
  readonly at: number
}

/** A document of the discovery set. Its path and media type are those of the served row with the id of `operation`. */
export interface DocumentRow {
  readonly operation: Operation<undefined>
  /** Default: `public, max-age=300`. */
  readonly cacheControl?: string
  /** A text is served unchanged, an object as canonical JSON. */
  readonly print: (parts: DiscoveryParts) => string | object
}
