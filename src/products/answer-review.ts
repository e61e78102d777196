/** Whether the hits of a delivered answer wait for a person. The operator's judgements say so; a review board has no rows of its own yet. */
import type { ReviewState } from "../../schemas/answer-review.ts"
import type { ScreeningHit } from "../../schemas/screening-facts.ts"
import { instant } from "../core/time.ts"
import type { BoardName } from "../sources/records/party.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import { type ScreenHit, screen } from "../sources/screening/screen.ts"
import { judgeOf, type SuppressionBook } from "../sources/screening/suppress.ts"
import type { PartyScreening } from "./common/party-screening.ts"
import type { ReviewOf } from "./common/review-of.ts"
import type { ScreenedMembers } from "./common/stored-entries.ts"
import { boardOf, screenedPartiesOf } from "./screened-parties.ts"

interface ReviewDeps {
  /** The index of the lists in use. */
  readonly indexes: Readonly<Record<BoardName, () => NameIndex>>
  readonly suppressions: () => SuppressionBook
}

/**
 * CHOICE: there is a review only if a person can clear every hit: none is an equal identifier, a listed wallet or an entry that forbids payment, none
 * was left out, and every name was read. Otherwise a judgement would make the buyer pay for the same hold again.
 */
export function reviewer({ indexes, suppressions }: ReviewDeps): ReviewOf {
  return ({ product, requestJson, factsJson, deliveredAt }, at) => {
    const request = JSON.parse(requestJson) as object
    const facts = JSON.parse(factsJson) as ScreenedMembers & { readonly at: string }
    const index = indexes[boardOf(product)]()
    const parties = screenedPartiesOf({ product, request, facts }, index)
    const hits = parties.flatMap(({ screening }) => screening.hits)
    if (hits.length === 0 || !hits.every(isClearable) || !parties.every(isWhole) || hasWallet(facts)) return null
    const since = deliveredAt ?? facts.at
    const decidedAt = decidedSince(index, parties, { book: suppressions(), at, since })
    return decidedAt === null
      ? { state: "OPEN", since, next_machine_action: "WAIT_FOR_REVIEW" }
      : { state: "DECIDED", since: decidedAt, next_machine_action: "ASK_AGAIN_WITH_NEW_IDEMPOTENCY_KEY" }
  }
}

function isClearable({ basis, tier }: ScreeningHit): boolean {
  return basis !== "IDENTIFIER" && tier !== "BLOCK"
}

function isWhole({ screening }: PartyScreening): boolean {
  return screening.name_problems.length === 0 && screening.hit_count === screening.hits.length
}

function hasWallet({ wallet_hits: wallets }: ScreenedMembers): boolean {
  return wallets !== undefined && (wallets.payee !== null || wallets.payment_destination !== null)
}

interface Judgements {
  readonly book: SuppressionBook
  /** Milliseconds. */
  readonly at: number
  /** RFC 3339. When the answer was delivered. */
  readonly since: string
}

/**
 * When the last judgement of these hits was recorded; null while one of them is still a hit on the lists in use. An entry that left its list waits
 * for nobody: without a judgement the result is `since`.
 */
function decidedSince(
  index: NameIndex,
  parties: readonly PartyScreening[],
  { book, at, since }: Judgements,
): ReviewState["since"] | null {
  let last = since
  for (const { query, screening } of parties) {
    if (screening.hits.length === 0) continue
    const { hits, suppressedHits } = screen(index, query, judgeOf(book, query, at))
    if (hits.some((hit) => screening.hits.some((one) => isSameEntry(one, hit)))) return null
    for (const hit of suppressedHits)
      if (screening.hits.some((one) => isSameEntry(one, hit))) last = laterOf(last, hit.suppression.createdAt)
  }
  return last
}

function isSameEntry(then: ScreeningHit, now: ScreenHit): boolean {
  return then.source_id === now.sourceId && then.entry_id === now.entryId
}

function laterOf(one: string, other: string): string {
  return instant(one) > instant(other) ? one : other
}
