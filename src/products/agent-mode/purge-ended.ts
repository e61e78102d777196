/** Removes rows that ended and that no insert has removed, in units short enough for every other writer. */
import { DAY, formatInstant, HOUR, MINUTE } from "../../core/time.ts"
import type { Log } from "../../log.ts"
import type { Machine } from "../../machine.ts"
import { purgeConsentDays, purgeConsents } from "../../store/agent-mode/beacon-consents.ts"
import { purgeCounts, purgeSeen } from "../../store/agent-mode/beacon-counters.ts"
import { purgeDialogues } from "../../store/agent-mode/dialogues.ts"
import { purgeMessages } from "../../store/agent-mode/messages.ts"
import { purgeOffers } from "../../store/agent-mode/offers.ts"
import { purgeSomeNonces } from "../../store/nonces.ts"
import type { Store, Unit } from "../../store/unit.ts"
import { periodic, type Worker } from "../../worker.ts"
import { CONSENT_KEPT_DAYS, consentDaysBefore, countersBefore } from "./beacon/retention.ts"
import { DIALOGUE_HOURS, OFFER_KEPT_DAYS } from "./sales/hold-dialogue.ts"

/** Units of one table in one round. */
const UNITS_MAX = 100

/** Each removes a bounded number of rows and returns how many. */
function purges(at: number): readonly (() => Unit<number>)[] {
  const now = formatInstant(at)
  return [
    () => purgeMessages(now),
    () => purgeSomeNonces(now),
    () => purgeDialogues(formatInstant(at - DIALOGUE_HOURS * HOUR)),
    () => purgeOffers(formatInstant(at - OFFER_KEPT_DAYS * DAY)),
    () => purgeConsents(formatInstant(at - CONSENT_KEPT_DAYS * DAY)),
    () => purgeConsentDays(consentDaysBefore(at)),
    () => purgeSeen(now),
    () => purgeCounts(countersBefore(at)),
  ]
}

/** `at` in milliseconds. Returns how many rows were removed. */
export async function purgeEnded(store: Store, at: number): Promise<number> {
  let all = 0
  for (const purge of purges(at)) {
    for (let units = 0; units < UNITS_MAX; units++) {
      const removed = await store.run(purge)
      all += removed
      if (removed === 0) break
    }
  }
  return all
}

export function purgeWorker(parts: { readonly store: Store; readonly machine: Machine; readonly log: Log }): Worker {
  const { store, machine } = parts
  return periodic("agent mode purge", MINUTE, () => purgeEnded(store, machine.now()), parts)
}
