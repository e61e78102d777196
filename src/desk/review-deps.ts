/** What an act of a reviewer needs, and whether the entry that it judges is still listed as it was judged. */

import { hitsOnEntry } from "../judgements/judged-hits.ts"
import { boardOf } from "../products/screened-parties.ts"
import type { ReviewDeps } from "../review/deps.ts"
import type { Party } from "../sources/records/party.ts"
import { TIERS } from "../sources/screening/parameters.ts"
import type { ScreenedParty } from "../sources/screening/suppress.ts"
import type { JudgedParty } from "../store/review/review-records.ts"
import type { DeskDeps } from "./deps.ts"

/** `judged`: the party of the judgement that the act makes or approves; null if it judges no entry. */
export function reviewDeps(
  { store, machine, audience, environment, origin, lists }: DeskDeps,
  judged: { readonly product: string; readonly party: JudgedParty } | null = null,
): ReviewDeps {
  const isListed: ReviewDeps["isListed"] = ({ source_id, entry_id, entry_hash }) => {
    if (judged === null) return false
    const party = JSON.parse(judged.party.party) as ScreenedParty
    const { index } = lists(boardOf(judged.product))
    const entry = { sourceId: source_id as Party["sourceId"], entryId: entry_id }
    return hitsOnEntry(index, { ...party, threshold: TIERS.nearMissMin }, entry).has(entry_hash)
  }
  return { store, machine, audience, environment, origin, isListed }
}
