/** Settlements that do not end: the sign of a relayer that is stuck, or of a chain that takes nothing. More is not sold into that. */
import { instant, MINUTE, SECOND } from "../core/time.ts"
import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import type { Check, Reason } from "../readiness.ts"
import { oldestSettling } from "../store/settling-age.ts"
import type { Store } from "../store/unit.ts"

const SLOW_MS = MINUTE
const STUCK_MS = 5 * MINUTE
const WARN_EVERY_MS = MINUTE

export interface SettlementCheckParts {
  readonly store: Store
  readonly machine: Pick<Machine, "now" | "monotonic">
  readonly log: Log
}

export function settlementCheck({ store, machine, log }: SettlementCheckParts): Check {
  /** The settlement seen last, and the monotonic time at which it was seen first. */
  let seen: { readonly id: string; readonly at: number } | null = null
  let warnedAt = Number.NEGATIVE_INFINITY

  return {
    name: "settlements",
    look: async () => {
      const oldest = await store.read(oldestSettling)
      const at = machine.monotonic()
      if (oldest === null) {
        seen = null
        return []
      }
      if (seen?.id !== oldest.id) seen = { id: oldest.id, at }
      // The stored time is the wall clock's. Set back since, it says nothing; how long this process has watched still does.
      const age = Math.max(machine.now() - instant(oldest.since), at - seen.at)
      if (age > SLOW_MS && at - warnedAt >= WARN_EVERY_MS) {
        warnedAt = at
        log.warn("settlement_slow", { attempt_id: oldest.id, seconds: Math.floor(age / SECOND) })
      }
      return age > STUCK_MS ? [SETTLEMENT_STUCK] : []
    },
  }
}

const SETTLEMENT_STUCK: Reason = {
  code: "SETTLEMENT_STUCK",
  detail: "A settlement has been under way for more than five minutes; nothing more is sold before it ends.",
}
