/** What a record answers: an approver signs for it, so it is on the page. */
import { type Html, html } from "../../pages/html.ts"
import type { StoredRecord } from "../../store/review/review-records.ts"
import { nameOf, shortDigest, writtenText } from "../parts.ts"
import { nameIn, type ReviewerNames } from "../reviewer-names.ts"
import { sentenceOf } from "./record-words.ts"

export function proposalPart(proposal: StoredRecord, names: ReviewerNames): Html {
  const { sequence, digest, record, reason } = proposal
  return html`<h2>The proposal</h2>
<p><a href="/records/${String(sequence)}">Record ${String(sequence)}</a> <code>${shortDigest(digest)}</code> of ${nameOf(nameIn(names, record.reviewer))}: ${nameOf(sentenceOf(proposal, names), 600)}</p>
${reason === null ? html`` : writtenText(reason.text)}`
}
