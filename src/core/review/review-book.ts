/** What records did, one after the other: to the proposals of one case, or of the register, and to the register itself. */
import type { ReviewRecord, ReviewState, ReviewSubject } from "../../../schemas/review.ts"
import type { CaseFacts, Proposal, RecordEffect } from "./judge-record.ts"
import { enrolled, type Register, withKeyState } from "./register.ts"

/** A case in one of these states waits for a person. */
export const WAITING_STATES = ["OPEN", "PROPOSED"] as const satisfies readonly ReviewState[]

/** A record with its effect, as `judgeRecord` found it. */
export interface AppliedRecord {
  readonly digest: string
  readonly record: ReviewRecord
  readonly subject: ReviewSubject | null
  readonly effect: RecordEffect
}

/** The records of one case, or those about reviewers. */
export interface ReviewBook extends CaseFacts {
  /** A judgement took effect, or somebody said that it is the same party. */
  readonly isDecided: boolean
  /** By the digest of the record that proposes. */
  readonly proposals: ReadonlyMap<string, Proposal>
}

export const EMPTY_BOOK: ReviewBook = { isClosed: false, isDecided: false, open: [], proposals: new Map() }

export function bookAfter(book: ReviewBook, { digest, record, subject, effect }: AppliedRecord): ReviewBook {
  const proposals = new Map(book.proposals)
  const answered = record.answers === null ? undefined : proposals.get(record.answers)
  if (effect === "OPENED" || (effect === "EFFECTIVE" && answered === undefined)) {
    proposals.set(digest, { record, subject, state: effect === "OPENED" ? "OPEN" : "EFFECTIVE", approvals: [] })
  } else if (answered && record.answers !== null) {
    const approvals = record.kind === "APPROVE" ? [...answered.approvals, record] : answered.approvals
    const state = effect === "COUNTED" ? "OPEN" : effect === "EFFECTIVE" ? "EFFECTIVE" : "ENDED"
    proposals.set(record.answers, { ...answered, approvals, state })
  }
  const open = [...proposals.values()].filter(({ state }) => state === "OPEN").map((one) => one.record)
  return {
    proposals,
    open,
    isClosed: book.isClosed || record.kind === "CLOSE",
    isDecided: book.isDecided || record.kind === "SAME_PARTY" || (effect === "EFFECTIVE" && record.hit !== null),
  }
}

export function stateOf({ isClosed, isDecided, open }: ReviewBook): ReviewState {
  if (isClosed) return "CLOSED"
  if (open.length > 0) return "PROPOSED"
  return isDecided ? "DECIDED" : "OPEN"
}

/** The register after a record about reviewers. `answered`: the proposal that it answers. */
export function registerAfter(
  register: Register,
  { record, subject, effect }: Pick<AppliedRecord, "record" | "subject" | "effect">,
  answered: Proposal | null,
): Register {
  const about = answered ? answered.subject : subject
  if (about?.kind === "ENROL") {
    if (effect === "OPENED") return enrolled(register, about, "PENDING")
    if (effect === "ENDED") return withKeyState(register, about.key_id, "REVOKED")
    if (effect !== "EFFECTIVE") return register
    return answered ? withKeyState(register, about.key_id, "ACTIVE") : enrolled(register, about, "ACTIVE")
  }
  if (effect !== "EFFECTIVE") return register
  if (about?.kind === "POLICY") return { ...register, policy: { persons: about.persons, of: about.of } }
  return record.kind === "REVOKE" && about?.kind === "REVOKE"
    ? withKeyState(register, about.key_id, "REVOKED")
    : register
}
