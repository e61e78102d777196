/** Remembers which body came with an idempotency key. The routes of the foundation store nothing, so this is memory of one process. */

import { ServiceError } from "../../base/errors.ts"
import type { Machine } from "../../base/machine.ts"
import type { Digest } from "../../core/digest.ts"
import { MINUTE } from "../../core/time.ts"

export const RECENT_KEYS_MAX = 10_000
export const RECENT_KEY_MS = 10 * MINUTE

interface KeyedRequest {
  readonly operationId: string
  /** Rate-limit key of the caller's address. */
  readonly client: string
  readonly idempotencyKey: string
  readonly bodyDigest: Digest
}

interface RecentKey {
  readonly bodyDigest: Digest
  /** Monotonic milliseconds. */
  readonly since: number
}

/**
 * CHOICE: a key belongs to one operation and one address, as the interface names no owner of an idempotency key without authentication. A
 * repeat does not prolong it, and when the memory is full the oldest key is forgotten first.
 */
export class RecentKeys {
  /** In the order of `since`. */
  readonly #known = new Map<string, RecentKey>()

  constructor(private readonly machine: Pick<Machine, "monotonic">) {}

  /** Throws IDEMPOTENCY_CONFLICT if another body came with this key within the last ten minutes; otherwise remembers this one. */
  requireOneBody({ operationId, client, idempotencyKey, bodyDigest }: KeyedRequest): void {
    const now = this.machine.monotonic()
    this.#forgetEnded(now)
    const name = `${operationId}\n${client}\n${idempotencyKey}`
    const known = this.#known.get(name)
    if (known === undefined) {
      if (this.#known.size >= RECENT_KEYS_MAX) this.#forgetOldest()
      this.#known.set(name, { bodyDigest, since: now })
    } else if (known.bodyDigest !== bodyDigest) {
      throw conflict(known.since + RECENT_KEY_MS - now)
    }
  }

  get size(): number {
    return this.#known.size
  }

  #forgetEnded(now: number): void {
    for (const [name, { since }] of this.#known) {
      if (now - since < RECENT_KEY_MS) return
      this.#known.delete(name)
    }
  }

  #forgetOldest(): void {
    const oldest = this.#known.keys().next()
    if (!oldest.done) this.#known.delete(oldest.value)
  }
}

function conflict(leftMs: number): ServiceError {
  return new ServiceError(
    "IDEMPOTENCY_CONFLICT",
    `This key came with another body less than ten minutes ago. It is free again in ${Math.ceil(leftMs / 1000)} s.`,
    {
      errors: [{ pointer: "/idempotency_key", code: "IDEMPOTENCY_CONFLICT", expected: "a new key, or the first body" }],
    },
  )
}
