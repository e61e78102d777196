/** Removes what has ended. No unit that serves a request does it: see `store/purge.ts`. Each unit is short enough for every other writer. */
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../core/time.ts"
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
import { endPurgeRound, takePurgeRound } from "../store/purge-round.ts"
import { purgeReviewEntrances } from "../store/review/review-sessions.ts"
import { purgeInstanceSnapshots } from "../store/sources/instance-snapshots.ts"
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
  (at) => purgeInstanceSnapshots(formatInstant(at - INSTANCE_KEPT_DAYS * DAY)),
  (at) => purgeReviewEntrances(formatInstant(at)),
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

/** A round ends by itself within this time, so that it does not outlive its lease. A process that is killed delays the next round as long. */
const ROUND_MS_MAX = MINUTE
/** From one round to that of another process. */
const REST_MS = 30 * SECOND

interface PurgeDeps {
  readonly store: Pick<Store, "run">
  readonly now: () => number
}

/** What a round did. */
interface Round {
  /** Rows removed. */
  readonly removed: number
  /** Whether rows of a table may be left, because {@link UNITS_MAX} units removed some or the round took too long. */
  readonly isBehind: boolean
}

/** A round, unless another process is in one or was in one a short time ago. `owner`: names this process. Returns whether rows may be left. */
export async function purgeInTurn({ owner, ...deps }: PurgeDeps & { readonly owner: string }): Promise<boolean> {
  const { store, now } = deps
  const begun = now()
  const end = begun + ROUND_MS_MAX
  const times = { now: formatInstant(begun), horizon: formatInstant(begun + 2 * ROUND_MS_MAX) }
  if (!(await store.run(() => takePurgeRound({ owner, until: formatInstant(end) }, times)))) return false
  const { isBehind } = await purgeExpired(deps, { end })
  await store.run(() => endPurgeRound(owner, formatInstant(now() + (isBehind ? 0 : REST_MS))))
  return isBehind
}

/** `end`: the instant (ms) from which no unit begins. */
export async function purgeExpired(
  { store, now }: PurgeDeps,
  {
    end = Number.POSITIVE_INFINITY,
    purges = PURGES,
  }: { readonly end?: number; readonly purges?: readonly Purge[] } = {},
): Promise<Round> {
  let removed = 0
  let isBehind = false
  for (const purge of purges) {
    let units = 0
    let count: number
    do {
      if (now() >= end) return { removed, isBehind: true }
      count = await store.run(() => purge(now()))
      removed += count
      units++
    } while (count > 0 && units < UNITS_MAX)
    if (count > 0) isBehind = true
  }
  return { removed, isBehind }
}
