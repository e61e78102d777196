/**
 * Detects settlements that do not end. A slow one logs a warning. A relayer nonce that is not mined for five minutes means that the relayer
 * is stuck or the chain accepts nothing; then sales stop.
 *
 * CHOICE: one attempt alone does not stop sales, however long it is SETTLING. A buyer can empty the wallet after verification; then the
 * transaction is mined but the attempt stays SETTLING until a safe block is past `validBefore`. One buyer must not stop the sales of all.
 */

import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import type { Check, Reason } from "../base/readiness.ts"
import { instant, MINUTE, SECOND } from "../core/time.ts"
import type { Store } from "../store/engine/unit.ts"
import { lowestOpenNonce, oldestSettling, type Waiting } from "../store/payments/settling-age.ts"

const SLOW_MS = MINUTE
/** After this time a settlement or a nonce counts as stuck. */
export const STUCK_MS = 5 * MINUTE
const WARN_EVERY_MS = MINUTE

interface SettlementCheckParts {
  readonly store: Store
  readonly machine: Pick<Machine, "now" | "monotonic">
  readonly log: Log
}

export function settlementCheck({ store, machine, log }: SettlementCheckParts): Check {
  const settling = new Age(machine)
  const nonce = new Age(machine)
  let warnedAt = Number.NEGATIVE_INFINITY

  return {
    name: "settlements",
    reasons: async () => {
      const [oldest, lowest] = await store.read(function* () {
        return [yield* oldestSettling(), yield* lowestOpenNonce()] as const
      })
      const ageMs = settling.of(oldest)
      const at = machine.monotonic()
      if (oldest !== null && ageMs > SLOW_MS && at - warnedAt >= WARN_EVERY_MS) {
        warnedAt = at
        log.warn("settlement_slow", { attempt_id: oldest.id, seconds: Math.floor(ageMs / SECOND) })
      }
      return nonce.of(lowest) > STUCK_MS ? [SETTLEMENT_STUCK] : []
    },
  }
}

/** How long one item has waited, in milliseconds. */
class Age {
  /** The last item seen, and the monotonic time of its first sighting. */
  private seen: { readonly id: string; readonly at: number } | null = null

  constructor(private readonly machine: Pick<Machine, "now" | "monotonic">) {}

  /**
   * The stored instant is wall-clock time and can be wrong after the clock is set back. So the monotonic time of this process is a lower
   * bound.
   */
  of(waiting: Waiting | null): number {
    const at = this.machine.monotonic()
    if (waiting === null) {
      this.seen = null
      return 0
    }
    if (this.seen?.id !== waiting.id) this.seen = { id: waiting.id, at }
    return Math.max(this.machine.now() - instant(waiting.since), at - this.seen.at)
  }
}

const SETTLEMENT_STUCK: Reason = {
  code: "SETTLEMENT_STUCK",
  detail: "A transaction of the relayer has waited for more than five minutes; nothing more is sold until it is mined.",
}
