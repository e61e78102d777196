/** A case: the answer as every view of it shows it, what reviewers recorded, and what this person may do. */
import { headlineOf } from "../../case/words/headline.ts"
import { type Html, html } from "../../pages/html.ts"
import { bandPart, caseParts } from "../../pages/parts/case-parts.ts"
import { htmlOf } from "../../pages/write-part.ts"
import type { ReviewCase } from "../../store/review/review-cases.ts"
import { nameOf } from "../parts.ts"
import type { DeskPage } from "../visit.ts"
import { caseForms } from "./case-forms.ts"
import type { CaseTerms } from "./case-terms.ts"
import { recordTable } from "./record-table.ts"
import { STATE_WORDS } from "./state-words.ts"

export function casePage(terms: CaseTerms): DeskPage {
  const { opened, records, names, group, next, now } = terms
  const { row, shown } = opened
  const band = {
    headline: headlineOf(shown, { state: "ISSUED", now }),
    above: `Case ${row.caseNumber}, ${STATE_WORDS[row.state]}`,
    authenticity: "This server signed the answer. A judgement changes the next answer, never this one.",
    heading: "h1",
  } as const
  const others = group.filter(({ caseNumber }) => caseNumber !== row.caseNumber)
  return {
    title: `Case ${row.caseNumber}`,
    main: html`${htmlOf(bandPart(band))}
<p>Buyer: ${nameOf(row.organizationId ?? "no organization")}, wallet <code>${row.payer}</code></p>
<p>${next}</p>
${others.length === 0 ? html`` : html`<p>Same payer, party and entry: ${others.map(caseLink)}</p>`}
${htmlOf(...caseParts(shown, { heading: "h2", reasonHref: null }))}
<h2>What reviewers recorded</h2>
${records.length === 0 ? html`<p>Nothing yet.</p>` : recordTable(records, names)}
${caseForms(terms)}`,
  }
}

function caseLink({ caseNumber, state }: ReviewCase): Html {
  return html`<a href="/cases/${String(caseNumber)}">case ${String(caseNumber)}</a> (${STATE_WORDS[state]}) `
}
