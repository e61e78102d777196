/** Judgements in force that lift a hit of a record, as the screening of the next answer counts them. */
import type { ReviewRecord } from "../../schemas/review.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { instant } from "../core/time.ts"
import { boardOf } from "../products/screened-parties.ts"
import type { Suppression } from "../sources/screening/suppress.ts"
import type { DeskDeps } from "./deps.ts"

type Judging = Pick<ReviewRecord, "case" | "hit">

/** The judgement that lifts the hit of the record; null if none does. */
function liftingOne({ lists }: Pick<DeskDeps, "lists">, { case: about, hit }: Judging): Suppression | null {
  if (about === null || hit === null) return null
  const { suppressions, at } = lists(boardOf(about.product))
  const ofParty = suppressions.get(hit.party_digest) ?? []
  const found = ofParty.find(
    ({ sourceId, entryId, entryHash, expiresAt }) =>
      sourceId === hit.source_id && entryId === hit.entry_id && entryHash === hit.entry_hash && instant(expiresAt) > at,
  )
  return found ?? null
}

/** Those that lift a hit of these records, each once. */
export function inForceOver(deps: Pick<DeskDeps, "lists">, records: readonly Judging[]): readonly Suppression[] {
  const hits = new Map(records.map((one) => [canonicalize(one.hit), one]))
  const found = [...hits.values()].flatMap((one) => liftingOne(deps, one) ?? [])
  return [...new Map(found.map((one) => [one.suppressionId, one])).values()]
}

/** The judgement that stays in force beside a record which denies or doubts it; null for any other record. */
export function contradictedBy(deps: Pick<DeskDeps, "lists">, record: ReviewRecord): Suppression | null {
  return record.kind === "SAME_PARTY" || record.kind === "UNSURE" ? liftingOne(deps, record) : null
}
