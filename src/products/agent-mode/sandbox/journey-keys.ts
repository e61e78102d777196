/** The idempotency keys of journeys, in memory: a journey stores nothing. */
import type { Digest } from "../../../core/digest.ts"
import { MINUTE } from "../../../core/time.ts"
import { ServiceError } from "../../../errors.ts"
import type { Machine } from "../../../machine.ts"

export const JOURNEY_KEYS_MAX = 10_000
export const JOURNEY_KEY_MS = 10 * MINUTE

interface UsedKey {
  readonly bodyDigest: Digest
  readonly until: number
}

export class JourneyKeys {
  /** In the order of their first use, so the first one ends first. */
  private readonly used = new Map<string, UsedKey>()

  constructor(private readonly machine: Pick<Machine, "monotonic">) {}

  /** Throws IDEMPOTENCY_CONFLICT for another body under a key that this client used within ten minutes. */
  requireSameBody(client: string, key: string, bodyDigest: Digest): void {
    const now = this.machine.monotonic()
    this.forget(now)
    const name = JSON.stringify([client, key])
    const known = this.used.get(name)
    if (known === undefined) this.used.set(name, { bodyDigest, until: now + JOURNEY_KEY_MS })
    else if (known.bodyDigest !== bodyDigest) {
      throw new ServiceError("IDEMPOTENCY_CONFLICT", "This key was used for another journey within ten minutes.")
    }
  }

  get size(): number {
    return this.used.size
  }

  /** Forgets what has ended, and the oldest key when there is no room for another. */
  private forget(now: number): void {
    for (const [name, { until }] of this.used) {
      if (until > now && this.used.size < JOURNEY_KEYS_MAX) return
      this.used.delete(name)
    }
  }
}
