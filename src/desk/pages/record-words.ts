/** What a record says, in the first person of its reviewer and as a line of a list. */
import type { ReviewKind, ReviewRecord, ReviewSubject } from "../../../schemas/review.ts"
import type { RecordEffect } from "../../core/review/judge-record.ts"
import { policyText } from "../../core/review/register.ts"
import { dayOf } from "../../pages/duration-words.ts"
import { nameIn, type ReviewerNames } from "../reviewer-names.ts"

/** After the name of a person. */
export const KIND_WORDS: Readonly<Record<ReviewKind, string>> = {
  OTHER_PARTY: "judged that it is another party",
  SAME_PARTY: "judged that it is the listed party",
  UNSURE: "could not tell",
  CLOSE: "closed the case",
  APPROVE: "approved",
  REJECT: "rejected",
  WITHDRAW: "withdrew the proposal",
  ENROL: "enrolled a passkey",
  REVOKE: "revoked a passkey",
  POLICY: "set how many persons must judge",
  NOTE: "wrote a note",
  ASSIGN: "assigned the case",
}

export const EFFECT_WORDS: Readonly<Record<RecordEffect, string>> = {
  RECORDED: "recorded",
  OPENED: "waits for approvals",
  COUNTED: "one approval more, and more are needed",
  EFFECTIVE: "in effect",
  ENDED: "ended the proposal",
}

/** Kinds of passkeys, by their COSE algorithm. */
export const ALGORITHM_WORDS: Readonly<Record<number, string>> = { [-8]: "Ed25519", [-7]: "P-256", [-257]: "RSA" }

/** The first characters of the id of a passkey, which pages show. */
export function shortKey(keyId: string): string {
  return keyId.slice("passkey-".length, "passkey-".length + 8)
}

interface Said {
  readonly record: ReviewRecord
  readonly subject: ReviewSubject | null
}

/** One sentence that the reviewer signs. */
export function sentenceOf({ record, subject }: Said, names: ReviewerNames): string {
  const { hit, until, case: about } = record
  const entry = hit === null ? "" : `${hit.source_id} ${hit.entry_id}`
  const inCase = about === null ? "" : ` (case ${about.number})`
  switch (record.kind) {
    case "OTHER_PARTY":
      return `I judge that the screened party is not ${entry}, until ${until === null ? "" : dayOf(until)}${inCase}.`
    case "SAME_PARTY":
      return `I judge that the screened party is ${entry}${inCase}.`
    case "UNSURE":
      return `I cannot tell whether the screened party is ${entry}${inCase}.`
    case "CLOSE":
      return `I close case ${about?.number ?? ""}. Nothing but a note can follow.`
    case "APPROVE":
      return `I approve the proposal${inCase}.`
    case "REJECT":
      return `I reject the proposal${inCase}.`
    case "WITHDRAW":
      return `I withdraw my proposal${inCase}.`
    case "NOTE":
      return `I write a note${inCase}.`
    default:
      return subject === null ? "I answer for what is below." : subjectSentence(subject, names)
  }
}

function subjectSentence(subject: ReviewSubject, names: ReviewerNames): string {
  switch (subject.kind) {
    case "ENROL":
      return `I am ${subject.name}, and I review with the passkey ${shortKey(subject.key_id)}.`
    case "REVOKE":
      return `I revoke the passkey ${shortKey(subject.key_id)}. It signs nothing any more.`
    case "POLICY":
      return `Each judgement needs ${policyText(subject)} of the persons who can judge.`
    case "ASSIGN":
      return subject.assignee === null ? "Nobody has the case." : `${nameIn(names, subject.assignee)} has the case.`
  }
}
