/** Whether the hits of a delivered answer wait for a person, by the lists and the judgements now. */
import type { ScreeningHit } from "../../schemas/screening-facts.ts"
import { instant } from "../core/time.ts"
import type { BoardName } from "../sources/records/party.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import { type AppliedSuppression, screen } from "../sources/screening/screen.ts"
import type { SuppressionBook } from "../sources/screening/suppress.ts"
import type { PartyScreening } from "./common/party-screening.ts"
import type { ReviewOf } from "./common/review-of.ts"
import type { ScreenedMembers } from "./common/stored-entries.ts"
import { screenAgain } from "./screened-again.ts"
import { boardOf, screenedPartiesOf } from "./screened-parties.ts"

interface ReviewDeps {
  /** The index of the lists in use. */
  readonly indexes: Readonly<Record<BoardName, () => NameIndex>>
  readonly suppressions: () => SuppressionBook
}

interface Facts extends ScreenedMembers {
  readonly at: string
}

/**
 * CHOICE: there is a review only if a person can clear every hit, those of the answer and those of the lists in use: none is an equal identifier,
 * a listed wallet or an entry that forbids payment, judged or not, none was left out, and every name was read. Otherwise a judgement would make
 * the buyer pay for the same hold again.
 */
export function reviewer({ indexes, suppressions }: ReviewDeps): ReviewOf {
  return ({ product, requestJson, factsJson, deliveredAt }, at) => {
    const facts = JSON.parse(factsJson) as Facts
    const answer = { product, request: JSON.parse(requestJson) as object, facts }
    const index = indexes[boardOf(product)]()
    const then = screenedPartiesOf(answer, index)
    if (!then.some(isHeld) || !then.every(isClearable) || hasWallet(facts)) return null
    // Only the screening of these facts is read, so they need no sources.
    const today = screenAgain(answer, { index, sources: [], suppressions: suppressions(), at }) as Facts
    const now = screenedPartiesOf({ ...answer, facts: today }, index)
    if (!now.every((party) => isClearable(party) && passesJudged(index, party)) || hasWallet(today)) return null
    const since = deliveredAt ?? facts.at
    return now.some(isHeld)
      ? { state: "OPEN", since, next_machine_action: "WAIT_FOR_REVIEW" }
      : { state: "DECIDED", since: decidedAt(now, since), next_machine_action: "ASK_AGAIN_WITH_NEW_IDEMPOTENCY_KEY" }
  }
}

function isHeld({ screening }: PartyScreening): boolean {
  return screening.state === "POSSIBLE_MATCH"
}

function isClearable({ screening }: PartyScreening): boolean {
  const { state, name_problems: problems, hits, hit_count: count, suppressed_hits: judged = [] } = screening
  const isRead = problems.length === 0 && state !== "SCRIPT_UNSUPPORTED" && state !== "INSUFFICIENT"
  return isRead && count === hits.length && hits.every(isSimilar) && [...hits, ...judged].every(permitsPayment)
}

function isSimilar({ basis }: ScreeningHit): boolean {
  return basis !== "IDENTIFIER"
}

function permitsPayment({ tier }: ScreeningHit): boolean {
  return tier !== "BLOCK"
}

function hasWallet({ wallet_hits: wallets }: ScreenedMembers): boolean {
  return wallets !== undefined && (wallets.payee !== null || wallets.payment_destination !== null)
}

/** A name without a word that the lists are searched for may have a hit, and is not CLEAR without it. */
function passesJudged(index: NameIndex, { query }: PartyScreening): boolean {
  const { state } = screen(index, query, () => ANOTHER_PARTY)
  return state === "CLEAR" || state === "PROGRAM_CONDITION"
}

const ANOTHER_PARTY: AppliedSuppression = {
  ...{ suppressionId: "", partyDigest: "", entryHash: "", recordDigest: "" },
  ...{ createdAt: "", expiresAt: "" },
}

/** When the last judgement was recorded. An entry that left its list waits for nobody: without a judgement the result is `since`. */
function decidedAt(now: readonly PartyScreening[], since: string): string {
  return now
    .flatMap(({ screening }) => screening.suppressed_hits ?? [])
    .map(({ suppression }) => suppression.created_at)
    .reduce((last, one) => (instant(one) > instant(last) ? one : last), since)
}
