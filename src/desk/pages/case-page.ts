/** A case: the answer as every view of it shows it, what reviewers recorded, and what this person may do. */
import type { Case } from "../../../schemas/case.ts"
import { headlineOf } from "../../case/words/headline.ts"
import { type Html, html } from "../../pages/html.ts"
import { bandPart, caseParts } from "../../pages/parts/case-parts.ts"
import { htmlOf } from "../../pages/write-part.ts"
import type { ReviewCase } from "../../store/review/review-cases.ts"
import { nameOf } from "../parts.ts"
import type { DeskPage } from "../visit.ts"
import { caseForms } from "./case-forms.ts"
import type { CaseTerms } from "./case-terms.ts"
import { inForcePart } from "./in-force-part.ts"
import { recordTable } from "./record-table.ts"
import { STATE_WORDS } from "./state-words.ts"

/** The band and the answer, as every view of it says them. `state`: of the case, in words. `now` in milliseconds. */
export function answerBand(
  shown: Case,
  { number, state }: { readonly number: number; readonly state: string },
  now: number,
): Html {
  return htmlOf(
    bandPart({
      headline: headlineOf(shown, { state: "ISSUED", now }),
      above: `Case ${number}, ${state}`,
      authenticity: "This server signed the answer. A judgement changes the next answer, never this one.",
      heading: "h1",
    }),
  )
}

/** What stopped the answer, the way out, and what was compared with what. */
export function answerParts(shown: Case): Html {
  return htmlOf(...caseParts(shown, { heading: "h2", reasonHref: null }))
}

export function casePage(terms: CaseTerms): DeskPage {
  const { opened, records, names, group, inForce, next, now } = terms
  const { row, shown } = opened
  const others = group.filter(({ caseNumber }) => caseNumber !== row.caseNumber)
  return {
    title: `Case ${row.caseNumber}`,
    main: html`${answerBand(shown, { number: row.caseNumber, state: STATE_WORDS[row.state] }, now)}
<p>Buyer: ${nameOf(row.organizationId ?? "no organization")}, wallet <code>${row.payer}</code></p>
<p>${next}</p>
${others.length === 0 ? html`` : html`<p>Same payer, party and entry: ${others.map(caseLink)}</p>`}
${answerParts(shown)}
<h2>What reviewers recorded</h2>
${records.length === 0 ? html`<p>Nothing yet.</p>` : recordTable(records, names)}
${inForce.map(inForcePart)}
${caseForms(terms)}`,
  }
}

function caseLink({ caseNumber, state }: ReviewCase): Html {
  return html`<a href="/cases/${String(caseNumber)}">case ${String(caseNumber)}</a> (${STATE_WORDS[state]}) `
}
