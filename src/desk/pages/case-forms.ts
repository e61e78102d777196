/** What a reviewer may do with a case: judge each entry, close it, write a note, assign it. */
import type { CaseHit } from "../../../schemas/case.ts"
import { BLOCK_REMAINS_A_HOLD } from "../../case/hits.ts"
import { entryWords } from "../../case/words/case-words.ts"
import { type Html, html } from "../../pages/html.ts"
import { hiddenField, nameOf, textArea, tokenField } from "../parts.ts"
import type { ReviewerNames } from "../reviewer-names.ts"
import type { CaseTerms } from "./case-terms.ts"

export function caseForms(terms: CaseTerms): Html {
  const { opened, isRecused, book, names } = terms
  if (isRecused) {
    return html`<h2>You are recused</h2>
<p>You are recused from this buyer, so you record nothing about its cases.</p>`
  }
  const { row } = opened
  const path = `/cases/${row.caseNumber}`
  return html`${
    book.isClosed
      ? html``
      : html`${judgeForms(terms)}
${closeForm(terms, path)}
${assignForm(terms, path, names)}`
  }
<h2 id="note-title">Write a note</h2>
<form method="post" action="${path}/note" enctype="multipart/form-data" aria-labelledby="note-title">${common(terms, `${path}/note`)}
${textArea({ name: "note", label: "Note", hint: "At most 1,000 characters. Others read it; its text can be removed later.", isNeeded: true }, "note")}
<p><label for="note-file">File</label>
<span class="quiet" id="note-file-hint">At most 16 MiB. The note keeps its name, length and digest. The file stays with you.</span>
<input type="file" id="note-file" name="file" aria-describedby="note-file-hint"></p>
<p><button type="submit">Write</button></p></form>`
}

function common({ me, opened }: CaseTerms, path: string): Html {
  return html`${tokenField(me, path)}${hiddenField("shown", opened.about.case_digest)}`
}

function judgeForms(terms: CaseTerms): Html {
  const { hits } = terms.opened.shown
  return html`${hits.map((hit) => {
    const why = whyNot(hit)
    return html`<h2 id="judge-${String(hit.number)}">Judge entry ${String(hit.number)}</h2>
<p>${nameOf(entryWords(hit))}</p>
${why === null ? judgeForm(terms, hit) : html`<p>${why}</p>`}`
  })}`
}

/** Why no person judges this hit here; null for one that the form offers. The act itself decides again. */
function whyNot({ basis, role, suppression }: CaseHit): string | null {
  if (suppression !== null) return "It is judged already: this answer counted the judgement."
  if (role.startsWith("wallet")) return "A listed wallet cannot be cleared: the money would go to a listed party."
  if (basis === "IDENTIFIER") return "An equal identifier is a fact and not a similarity, so no judgement clears it."
  return null
}

const VERDICTS = [
  ["OTHER_PARTY", "It is another party"],
  ["SAME_PARTY", "It is the listed party"],
  ["UNSURE", "I cannot tell"],
] as const

function judgeForm(terms: CaseTerms, hit: CaseHit): Html {
  const path = `/cases/${terms.opened.row.caseNumber}/judge`
  const id = `judge-${hit.number}`
  return html`<form method="post" action="${path}" aria-labelledby="${id}">${common(terms, path)}${hiddenField("hit", String(hit.number))}
${hit.tier === "BLOCK" ? html`<p class="notice"><strong>${BLOCK_REMAINS_A_HOLD}</strong></p>` : html``}
<fieldset><legend>Who is it?</legend>
${VERDICTS.map(
  ([
    value,
    words,
  ]) => html`<p><input type="radio" id="${id}-${value}" name="verdict" value="${value}" required> <label for="${id}-${value}">${words}</label></p>
`,
)}</fieldset>
${textArea({ name: "because", label: "How you know", hint: "Your sources, for the record. At most 1,000 characters. It is never removed.", isNeeded: true }, id)}
<p><label for="${id}-until">Until</label>
<span class="quiet" id="${id}-until-hint">For another party: the day on which the judgement ends, at most a year away.</span>
<input type="date" id="${id}-until" name="until" value="${terms.until}" aria-describedby="${id}-until-hint"></p>
<p><button type="submit">Read what you sign</button></p></form>`
}

function closeForm(terms: CaseTerms, path: string): Html {
  const action = `${path}/close`
  return html`<h2 id="close-title">Close the case</h2>
<form method="post" action="${action}" aria-labelledby="close-title">${common(terms, action)}
${textArea({ name: "because", label: "Why nothing is left to judge", hint: "At most 1,000 characters.", isNeeded: true }, "close")}
<p><button type="submit">Read what you sign</button></p></form>`
}

function assignForm(terms: CaseTerms, path: string, names: ReviewerNames): Html {
  const action = `${path}/assign`
  const { assignee } = terms.opened.row
  return html`<h2 id="assign-title">Assign the case</h2>
<form method="post" action="${action}" aria-labelledby="assign-title">${common(terms, action)}
<p><label for="assign-to">Who looks at it</label>
<select id="assign-to" name="to"><option value="">nobody</option>${[...names].map(([id, name]) => {
    const selected = id === assignee ? html` selected` : html``
    return html`<option value="${id}"${selected}>${name}</option>`
  })}</select></p>
<p><button type="submit">Assign</button></p></form>`
}
