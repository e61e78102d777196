/** Compares what the service says came of the records with what the records say. */
import type { ReviewExportPayload } from "../../../../schemas/review.ts"
import { EMPTY_BOOK, type ReviewBook, stateOf } from "../../../core/review/review-book.ts"
import { instant } from "../../../core/time.ts"

type Books = ReadonlyMap<number, ReviewBook>

/** The first case that is not as its records say. */
export function caseFault(
  { cases, entries }: Pick<ReviewExportPayload, "cases" | "entries">,
  books: Books,
): string | null {
  const rows = new Map(cases.map((one) => [one.number, one]))
  if (rows.size !== cases.length) return "a case is listed twice"
  for (const { sequence, record } of entries) {
    if (record.case === null) continue
    const row = rows.get(record.case.number)
    if (!row) return `the case ${record.case.number} of record ${sequence} is missing`
    const { product, payer, organization_id } = record.case
    if (row.product !== product || row.payer !== payer || row.organization_id !== organization_id) {
      return `record ${sequence} was about another product or buyer than the case ${row.number}`
    }
  }
  for (const { number, state } of cases) {
    const expected = stateOf(books.get(number) ?? EMPTY_BOOK)
    if (state !== expected) return `the case ${number} is ${state}, and its records lead to ${expected}`
  }
  return null
}

/** The first judgement without its records, or the first records without their judgement. */
export function judgementFault({ judgements }: Pick<ReviewExportPayload, "judgements">, books: Books): string | null {
  const found = new Map(judgements.map((one) => [one.record_digest, one]))
  if (found.size !== judgements.length) return "a judgement is listed twice"
  const approved = [...books.values()].flatMap(({ proposals }) => [...proposals])
  for (const [digest, { record, state }] of approved) {
    if (state !== "EFFECTIVE" || record.hit === null || record.until === null) continue
    const judgement = found.get(digest)
    found.delete(digest)
    const { hit } = record
    if (!judgement) return `the approved judgement about ${hit.source_id} ${hit.entry_id} is missing`
    const isSame =
      judgement.party_digest === hit.party_digest &&
      judgement.source_id === hit.source_id &&
      judgement.entry_id === hit.entry_id &&
      judgement.entry_hash === hit.entry_hash &&
      instant(judgement.expires_at) === instant(record.until)
    if (!isSame) return `${judgement.suppression_id} differs from the record that was approved`
  }
  const [extra] = found.values()
  return extra ? `${extra.suppression_id} has not the records that it needs` : null
}
