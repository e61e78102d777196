/** The sentence that a reviewer signs: it names the person, the judged party and the listed entry. */
import type { Case } from "../../../schemas/case.ts"
import type { ReviewRecord, ReviewSubject } from "../../../schemas/review.ts"
import type { Register } from "../../core/review/register.ts"
import { dayOf } from "../../pages/duration-words.ts"
import { type Html, html } from "../../pages/html.ts"
import type { ScreenedParty } from "../../sources/screening/suppress.ts"
import type { JudgedParty } from "../../store/review/review-records.ts"
import { nameOf, partyDetails } from "../parts.ts"
import { nameIn, type ReviewerNames } from "../reviewer-names.ts"
import { shortKey } from "./record-words.ts"

interface Said {
  readonly record: ReviewRecord
  readonly subject: ReviewSubject | null
  readonly judged: JudgedParty | null
}

/** Where the sentence finds the names. */
export interface Known {
  readonly names: ReviewerNames
  /** Who has which passkey. */
  readonly register: Pick<Register, "keys">
  /** The case as the person of the record saw it; null for a record about reviewers. */
  readonly shown: Case | null
}

export function sentenceOf({ record, subject, judged }: Said, known: Known): Html {
  const { until, case: about } = record
  const me = nameOf(nameIn(known.names, record.reviewer))
  const inCase = about === null ? "" : ` in case ${about.number}`
  const [party, entry] = [partyOf(judged), entryOf(record, known)]
  switch (record.kind) {
    case "OTHER_PARTY":
      return html`I, ${me}, judge${inCase} that ${party} is not ${entry}, until ${until === null ? "" : dayOf(until)}.`
    case "SAME_PARTY":
      return html`I, ${me}, judge${inCase} that ${party} is ${entry}.`
    case "UNSURE":
      return html`I, ${me}, cannot tell${inCase} whether ${party} is ${entry}.`
    case "CLOSE":
      return html`I, ${me}, close case ${String(about?.number ?? "")}. Nothing but a note can follow.`
    case "APPROVE":
      return html`I, ${me}, approve the proposal${inCase}.`
    case "REJECT":
      return html`I, ${me}, reject the proposal${inCase}.`
    case "WITHDRAW":
      return html`I, ${me}, withdraw my proposal${inCase}.`
    case "NOTE":
      return html`I, ${me}, write a note${inCase}.`
    default:
      return subject === null ? html`I, ${me}, answer for what is below.` : subjectSentence(me, subject, known)
  }
}

function partyOf(judged: JudgedParty | null): Html {
  if (judged === null) return html`the screened party`
  const party = JSON.parse(judged.party) as ScreenedParty
  const details = partyDetails(party)
  return html`${nameOf(party.name)}${details.length === 0 ? html`` : html` (${nameOf(details.join(", "), DETAILS_MAX)})`}`
}

/** A party may have many identifiers, and the judgement is about all of them. */
const DETAILS_MAX = 2_000

/** The name that resembled the party, as the case showed it, and the id of the entry. */
function entryOf({ hit }: ReviewRecord, { shown }: Known): Html {
  if (hit === null) return html``
  const { source_id, entry_id } = hit
  const found = shown?.hits.find((one) => one.source_id === source_id && one.entry_id === entry_id)
  const name = found?.matched_name ?? null
  return name === null ? html`${source_id} ${entry_id}` : html`${nameOf(name)} (${source_id} ${entry_id})`
}

function subjectSentence(me: Html, subject: ReviewSubject, { names, register }: Known): Html {
  switch (subject.kind) {
    case "ENROL":
      return html`I am ${nameOf(subject.name)}, and I review with the passkey ${shortKey(subject.key_id)}.`
    case "REVOKE": {
      const owner = register.keys.get(subject.key_id)?.reviewer
      const whose = owner === undefined ? html`` : html` of ${nameOf(nameIn(names, owner))}`
      return html`I, ${me}, revoke the passkey ${shortKey(subject.key_id)}${whose}. It signs nothing any more.`
    }
    case "POLICY": {
      const { persons, of } = subject
      const needed = persons === 1 ? "1 person" : `${persons} persons`
      return html`Each judgement needs ${needed}, and at least ${String(of)} must be able to judge.`
    }
    case "ASSIGN":
      return subject.assignee === null
        ? html`Nobody has the case.`
        : html`${nameOf(nameIn(names, subject.assignee))} has the case.`
  }
}
