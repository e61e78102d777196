/** Removes what has ended. No unit that serves a request does it: see `store/purge.ts`. Each unit is short enough for every other writer. */
import { DAY, formatInstant, HOUR, SECOND } from "../core/time.ts"
import { purgeConsentDays, purgeConsents } from "../store/agent-mode/beacon-consents.ts"
import { purgeCounts } from "../store/agent-mode/beacon-counters.ts"
import { purgeDialogues } from "../store/agent-mode/dialogues.ts"
import { purgeMessages } from "../store/agent-mode/messages.ts"
import { purgeOffers } from "../store/agent-mode/offers.ts"
import type { Store, Unit } from "../store/engine/unit.ts"
import { purgeSharedUse } from "../store/free-writes/admit.ts"
import { EXPIRED_KEPT_SECONDS, purgeAgentChallenges } from "../store/identity/agent-challenge.ts"
import { purgeSignatureNonces } from "../store/identity/signature-nonces.ts"
import { purgeInstances } from "../store/instances.ts"
import { purgeChallenges } from "../store/mail/email-challenges.ts"
import { purgeMailIn } from "../store/mail/mail-in.ts"
import { purgeMailOut } from "../store/mail/mail-out.ts"
import { purgeNonces } from "../store/nonces.ts"
import { purgeContinuations } from "../store/planning/continuations.ts"
import { purgeAnswers } from "../store/sources/register-answers.ts"
import { purgeWalletEntries } from "../store/wallet/wallet-entries.ts"
import { purgeWalletRequests } from "../store/wallet/wallet-requests.ts"
import { CONSENT_KEPT_DAYS, consentDaysBefore, countersBefore } from "./conversation/beacon/retention.ts"
import { DIALOGUE_HOURS, OFFER_KEPT_DAYS } from "./conversation/sales/hold-dialogue.ts"

/** Removes a bounded number of the rows of one table that have ended at `at` (ms); returns how many. */
type Purge = (at: number) => Unit<number>

const PURGES: readonly Purge[] = [
  (at) => purgeNonces(formatInstant(at)),
  (at) => purgeSignatureNonces(formatInstant(at)),
  (at) => purgeAgentChallenges(formatInstant(at - EXPIRED_KEPT_SECONDS * SECOND)),
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
  () => purgeAnswers(),
  (at) => purgeInstances(formatInstant(at - INSTANCE_KEPT_DAYS * DAY)),
]

const CHALLENGE_KEPT_DAYS = 1
/** Longer than the day whose limits a message counts for. */
const MAIL_OUT_KEPT_DAYS = 2
/** As long as mail servers try to deliver a message. A copy that comes within it is known. */
const MAIL_IN_KEPT_DAYS = 7
/** Each process writes its row many times a day. */
const INSTANCE_KEPT_DAYS = 1

/** After this many units of one table a round goes on with the next table. */
const UNITS_MAX = 100

interface Round {
  /** Rows removed. */
  readonly removed: number
  /** Whether rows of a table may be left, because {@link UNITS_MAX} units removed some. */
  readonly isBehind: boolean
}

export async function purgeExpired(
  { store, now }: { readonly store: Pick<Store, "run">; readonly now: () => number },
  purges: readonly Purge[] = PURGES,
): Promise<Round> {
  let removed = 0
  let isBehind = false
  for (const purge of purges) {
    let units = 0
    let count: number
    do {
      count = await store.run(() => purge(now()))
      removed += count
      units++
    } while (count > 0 && units < UNITS_MAX)
    if (count > 0) isBehind = true
  }
  return { removed, isBehind }
}
