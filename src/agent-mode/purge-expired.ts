/** Removes what has ended: inserts remove some of it, this worker removes the rest, in units short enough for every other writer. */
import { DAY, formatInstant, HOUR } from "../core/time.ts"
import { purgeConsentDays, purgeConsents } from "../store/agent-mode/beacon-consents.ts"
import { purgeCounts } from "../store/agent-mode/beacon-counters.ts"
import { purgeDialogues } from "../store/agent-mode/dialogues.ts"
import { purgeMessages } from "../store/agent-mode/messages.ts"
import { purgeOffers } from "../store/agent-mode/offers.ts"
import type { Store, Unit } from "../store/engine/unit.ts"
import { purgeSharedUse } from "../store/free-writes/admit.ts"
import { purgeChallenges } from "../store/mail/email-challenges.ts"
import { purgeMailIn } from "../store/mail/mail-in.ts"
import { purgeMailOut } from "../store/mail/mail-out.ts"
import { purgeNonces } from "../store/nonces.ts"
import { purgeContinuations } from "../store/planning/continuations.ts"
import { purgeWalletEntries } from "../store/wallet/wallet-entries.ts"
import { purgeWalletRequests } from "../store/wallet/wallet-requests.ts"
import { CONSENT_KEPT_DAYS, consentDaysBefore, countersBefore } from "./conversation/beacon/retention.ts"
import { DIALOGUE_HOURS, OFFER_KEPT_DAYS } from "./conversation/sales/hold-dialogue.ts"

/** Removes a bounded number of the rows of one table that have ended at `at` (ms); returns how many. */
type Purge = (at: number) => Unit<number>

const PURGES: readonly Purge[] = [
  (at) => purgeNonces(formatInstant(at)),
  (at) => purgeSharedUse(at - DAY),
  (at) => purgeWalletEntries(formatInstant(at)),
  (at) => purgeWalletRequests(formatInstant(at)),
  (at) => purgeContinuations(formatInstant(at)),
  (at) => purgeMessages(formatInstant(at)),
  (at) => purgeDialogues(formatInstant(at - DIALOGUE_HOURS * HOUR)),
  (at) => purgeOffers(formatInstant(at - OFFER_KEPT_DAYS * DAY)),
  (at) => purgeConsents(formatInstant(at - CONSENT_KEPT_DAYS * DAY)),
  (at) => purgeConsentDays(consentDaysBefore(at)),
  (at) => purgeCounts(countersBefore(at)),
  (at) => purgeChallenges(formatInstant(at - CHALLENGE_KEPT_DAYS * DAY)),
  (at) => purgeMailOut(formatInstant(at - MAIL_OUT_KEPT_DAYS * DAY)),
  (at) => purgeMailIn(formatInstant(at - MAIL_IN_KEPT_DAYS * DAY)),
]

const CHALLENGE_KEPT_DAYS = 1
/** Longer than the day whose limits a message counts for. */
const MAIL_OUT_KEPT_DAYS = 2
/** As long as mail servers try to deliver a message. A copy that comes within it is known. */
const MAIL_IN_KEPT_DAYS = 7

/** The next round continues after this many units of one table. */
const UNITS_MAX = 100

/** One round. Returns the number of rows removed. */
export async function purgeExpired(
  { store, now }: { readonly store: Store; readonly now: () => number },
  purges: readonly Purge[] = PURGES,
): Promise<number> {
  let removed = 0
  for (const purge of purges) {
    for (let unit = 0; unit < UNITS_MAX; unit++) {
      const count = await store.run(() => purge(now()))
      removed += count
      if (count === 0) break
    }
  }
  return removed
}
