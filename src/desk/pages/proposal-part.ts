/** What a record answers: an approver signs for it, so it is on the page. */
import { type Html, html } from "../../pages/html.ts"
import type { StoredRecord } from "../../store/review/review-records.ts"
import { nameOf, shortDigest, writtenText } from "../parts.ts"
import { nameIn } from "../reviewer-names.ts"
import { type Known, sentenceOf } from "./sentence.ts"

export function proposalPart(proposal: StoredRecord, known: Known): Html {
  const { sequence, digest, record, reason } = proposal
  return html`<h2>The proposal</h2>
<p><a href="/records/${String(sequence)}">Record ${String(sequence)}</a> <code>${shortDigest(digest)}</code> of ${nameOf(nameIn(known.names, record.reviewer))}: ${sentenceOf(proposal, known)}</p>
${reason === null ? html`` : writtenText(reason.text)}`
}
