/** A record: the receipt of who signed it, and for an open proposal what others may answer. */
import type { Case } from "../../../schemas/case.ts"
import type { Proposal } from "../../core/review/judge-record.ts"
import { dataTable } from "../../pages/data-table.ts"
import { type Html, html } from "../../pages/html.ts"
import { caseParts } from "../../pages/parts/case-parts.ts"
import { htmlOf } from "../../pages/write-part.ts"
import type { Suppression } from "../../sources/screening/suppress.ts"
import type { StoredRecord } from "../../store/review/review-records.ts"
import type { Lifted } from "../lifted.ts"
import { nameOf, shortDigest, textArea, timeOf, tokenField, writtenText } from "../parts.ts"
import { nameIn, type ReviewerNames } from "../reviewer-names.ts"
import type { DeskPage, Reviewing } from "../visit.ts"
import { inForcePart } from "./in-force-part.ts"
import { liftedParts } from "./lifted-parts.ts"
import { proposalPart } from "./proposal-part.ts"
import { EFFECT_WORDS, KIND_WORDS, shortKey } from "./record-words.ts"
import { sentenceOf } from "./sentence.ts"

interface RecordTerms {
  readonly me: Reviewing
  readonly stored: StoredRecord
  /** Null if the record proposes nothing. */
  readonly proposal: Proposal | null
  /** What the record answers; null if it answers nothing. */
  readonly answered: StoredRecord | null
  readonly names: ReviewerNames
  /** Of an open proposal that judges an entry. */
  readonly lifted: Lifted | null
  /** The judgement that is in force, although the record denies or doubts it; null if there is none. */
  readonly contradicted: Suppression | null
  /** The case as the reviewer saw it; null for a record about reviewers. */
  readonly shown: Case | null
  readonly isRecused: boolean
}

export function recordPage(terms: RecordTerms): DeskPage {
  const { me, stored, answered, names, shown, lifted, contradicted } = terms
  const { sequence, record, reason } = stored
  const known = { names, register: me.register, shown }
  const title = `Record ${sequence}`
  return {
    title,
    main: html`<h1>${title}</h1>
<p class="lead">${sentenceOf(stored, known)}</p>
${contradicted === null ? html`` : inForcePart(contradicted)}
${
  reason === null
    ? html``
    : html`<h2>Because</h2>
${writtenText(reason.text)}`
}
${answered === null ? html`` : proposalPart(answered, known)}
${answerForms(terms)}
<h2>Receipt</h2>
${receipt(terms)}
${record.case === null ? html`<p><a href="/reviewers">Reviewers</a></p>` : html`<p><a href="/cases/${String(record.case.number)}">Case ${String(record.case.number)}</a></p>`}
${lifted === null ? html`` : liftedParts(lifted)}
${
  shown === null
    ? html``
    : html`<h2>The case as it was shown</h2>
${htmlOf(...caseParts(shown, { heading: "h3", reasonHref: null }))}`
}`,
  }
}

function receipt({ stored, proposal, names }: RecordTerms): Html {
  const { record, digest, effect, logIndex } = stored
  const approvals = proposal?.approvals.map(({ reviewer }) => nameIn(names, reviewer)) ?? []
  const rows: readonly (readonly [string, Html])[] = [
    ["Who", nameOf(nameIn(names, record.reviewer))],
    ["What", html`${KIND_WORDS[record.kind]}`],
    [
      "Passkey",
      record.key_id === null ? html`none: the session was enough` : html`<code>${shortKey(record.key_id)}</code>`,
    ],
    ["When", timeOf(record.recorded_at)],
    ["Effect then", html`${EFFECT_WORDS[effect]}`],
    ...(proposal === null ? [] : [["State now", html`${STATE_WORDS[proposal.state]}`] as const]),
    ...(approvals.length === 0 ? [] : [["Approved by", nameOf(approvals.join(", "))] as const]),
    ["Begins with", html`<code>${shortDigest(digest)}</code>`],
    ["Digest", html`<code>${digest}</code>`],
    ["Leaf of the log", html`${String(logIndex)}`],
  ]
  return html`${dataTable(
    "Receipt",
    ["What", "Value"],
    rows.map(([label, value]) => [html`${label}`, value]),
  )}
<p class="quiet">Keep the digest: bizauth review verify FILE --record DIGEST shows whether an export has this record.</p>`
}

const STATE_WORDS: Readonly<Record<Proposal["state"], string>> = {
  OPEN: "waits for approvals",
  EFFECTIVE: "in effect",
  ENDED: "has no effect",
}

function answerForms({ me, stored, proposal, isRecused }: RecordTerms): Html {
  if (proposal?.state !== "OPEN") return html``
  if (isRecused) return html`<p>You are recused from this buyer, so you do not answer this.</p>`
  const { record, sequence } = stored
  const isOwn = record.reviewer === me.reviewerId
  const path = `/records/${sequence}/answer`
  // The persons who admit a new key are others, so its own person may count by an older one.
  const [whom, answers] = isOwn
    ? record.kind === "ENROL"
      ? (["an approval", ["APPROVE", "WITHDRAW"]] as const)
      : (["another person", ["WITHDRAW"]] as const)
    : (["you", ["APPROVE", "REJECT"]] as const)
  return html`<h2>It waits for ${whom}</h2>
${answers.map((answer) => answerForm(me, path, answer))}`
}

const ANSWERS = {
  APPROVE: { title: "Approve", label: "Why you approve", hint: "May be empty.", isNeeded: false },
  REJECT: { title: "Reject", label: "Why you reject", hint: "At most 1,000 characters.", isNeeded: true },
  WITHDRAW: { title: "Withdraw", label: "Why you withdraw", hint: "May be empty.", isNeeded: false },
} as const

function answerForm(me: Reviewing, path: string, answer: keyof typeof ANSWERS): Html {
  const { title, ...field } = ANSWERS[answer]
  const id = answer.toLowerCase()
  return html`<h3 id="${id}">${title}</h3>
<form method="post" action="${path}" aria-labelledby="${id}">${tokenField(me, path)}<input type="hidden" name="answer" value="${answer}">
${textArea({ name: "because", ...field }, id)}
<p><button type="submit">Read what you sign</button></p></form>
`
}
