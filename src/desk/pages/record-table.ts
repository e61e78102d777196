import { dataTable } from "../../pages/data-table.ts"
import { type Html, html } from "../../pages/html.ts"
import type { StoredRecord } from "../../store/review/review-records.ts"
import { nameOf, shortDigest, timeOf, writtenText } from "../parts.ts"
import { nameIn, type ReviewerNames } from "../reviewer-names.ts"
import { EFFECT_WORDS, KIND_WORDS } from "./record-words.ts"

/** What reviewers recorded, in its order. */
export function recordTable(records: readonly StoredRecord[], names: ReviewerNames): Html {
  return dataTable(
    "Records",
    ["Record", "Who", "What", "Effect", "When", "Text"],
    records.map((one) => [
      html`<a href="/records/${String(one.sequence)}">${String(one.sequence)}</a> <code>${shortDigest(one.digest)}</code>`,
      nameOf(nameIn(names, one.record.reviewer)),
      html`${KIND_WORDS[one.record.kind]}`,
      html`${EFFECT_WORDS[one.effect]}`,
      timeOf(one.record.recorded_at),
      textOf(one),
    ]),
  )
}

function textOf({ record, reason }: StoredRecord): Html {
  if (reason !== null) return writtenText(reason.text)
  return record.reason_digest === null ? html`none` : html`removed`
}
