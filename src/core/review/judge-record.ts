/**
 * Judges one record by those before it. Pure: the unit that stores a record and the offline check of an export both run it, so an export cannot
 * have a judgement that the service would not have made. Signatures, digests and the order of the chain are checked elsewhere.
 */
import type { ReviewRecord, ReviewSubject } from "../../../schemas/review.ts"
import { canonicalize } from "../canonical-json.ts"
import { DAY, instant } from "../time.ts"
import { isSessionKind, memberFault, REPEATED, SUBJECT_KINDS } from "./record-members.ts"
import {
  activePersons,
  hasKey,
  isActive,
  isKnownKey,
  isLaxer,
  isRecused,
  type Register,
  type ReviewPolicy,
} from "./register.ts"

/** CHOICE: a judgement ends after a year at most, as those of the command line do. */
const JUDGEMENT_DAYS_MAX = 366

/** A record that waits for approvals, waited for them, or took effect at once. */
export interface Proposal {
  readonly record: ReviewRecord
  readonly subject: ReviewSubject | null
  readonly state: "OPEN" | "EFFECTIVE" | "ENDED"
  /** The records that approved it, in their order. */
  readonly approvals: readonly Pick<ReviewRecord, "reviewer" | "key_id">[]
}

/** What is known of a case before the record. */
export interface CaseFacts {
  readonly isClosed: boolean
  /** Proposals about it that are open. */
  readonly open: readonly ReviewRecord[]
}

interface Judged {
  readonly record: ReviewRecord
  readonly subject: ReviewSubject | null
  readonly register: Register
  /** What the record answers; null if it answers nothing, or what nobody knows. */
  readonly answered: Proposal | null
  /** Null for a record about reviewers. */
  readonly ofCase: CaseFacts | null
}

export type RecordFault =
  | "MEMBERS"
  | "SUBJECT"
  | "KEY_UNKNOWN"
  | "KEY_NOT_ACTIVE"
  | "KEY_OF_ANOTHER"
  | "RECUSED"
  | "CASE_CLOSED"
  | "PROPOSAL_OPEN"
  | "UNTIL"
  | "NOT_OPEN"
  | "DIFFERS"
  | "OWN_PROPOSAL"
  | "NOT_OWN_PROPOSAL"
  | "APPROVED_ALREADY"
  | "PROPOSER_LOST"
  | "TOO_FEW_PERSONS"

/**
 * What a record does. RECORDED: nothing beyond being there. OPENED: it waits for approvals. COUNTED: one approval more, and it is not enough.
 * EFFECTIVE: the record, or what it answers, has its effect now. ENDED: what it answers has no effect any more.
 */
export type RecordEffect = "RECORDED" | "OPENED" | "COUNTED" | "EFFECTIVE" | "ENDED"

type RecordJudgement = { readonly fault: RecordFault } | { readonly fault: null; readonly effect: RecordEffect }

export function judgeRecord(judged: Judged): RecordJudgement {
  const { record, register, ofCase } = judged
  const fault = memberFault(record) !== null ? "MEMBERS" : (signerFault(judged) ?? subjectFault(judged))
  if (fault !== null) return { fault }
  if (record.reviewer !== null && isRecused(register, record.reviewer, record.case)) return { fault: "RECUSED" }
  if (ofCase?.isClosed && record.kind !== "NOTE") return { fault: "CASE_CLOSED" }
  switch (record.kind) {
    case "OTHER_PARTY":
      return proposed(judged)
    case "ENROL":
      return enrolment(judged)
    case "POLICY":
      return policyChange(judged)
    case "REVOKE":
      // CHOICE: one reviewer, or the operator, revokes any key at once: it only takes rights away, and a stolen key cannot wait.
      return effect("EFFECTIVE")
    case "APPROVE":
      return approval(judged)
    case "REJECT":
      return ending(judged, ({ record: { reviewer } }) => (reviewer === record.reviewer ? "OWN_PROPOSAL" : null))
    case "WITHDRAW":
      return ending(judged, ({ record: { reviewer } }) => (reviewer === record.reviewer ? null : "NOT_OWN_PROPOSAL"))
    case "CLOSE":
      return ofCase && ofCase.open.length > 0 ? { fault: "PROPOSAL_OPEN" } : effect("EFFECTIVE")
    default:
      return effect("RECORDED")
  }
}

function effect(one: RecordEffect): RecordJudgement {
  return { fault: null, effect: one }
}

/** The key of an enrolment is new. Every other record is of a person with an active key. */
function signerFault({ record, subject, register }: Judged): RecordFault | null {
  const { kind, reviewer, key_id: keyId } = record
  if (reviewer === null) return null
  if (kind === "ENROL") return subject?.kind === "ENROL" && isKnownKey(register, subject) ? "KEY_OF_ANOTHER" : null
  if (isSessionKind(kind)) return activePersons(register).has(reviewer) ? null : "KEY_NOT_ACTIVE"
  const key = register.keys.get(keyId ?? "")
  if (!key) return "KEY_UNKNOWN"
  if (key.reviewer !== reviewer) return "KEY_OF_ANOTHER"
  return key.state === "ACTIVE" ? null : "KEY_NOT_ACTIVE"
}

function subjectFault({ record, subject, register }: Judged): RecordFault | null {
  if (!SUBJECT_KINDS.includes(record.kind)) return subject === null ? null : "SUBJECT"
  if (subject?.kind !== record.kind) return "SUBJECT"
  if (subject.kind === "ENROL") {
    return subject.reviewer === record.reviewer && subject.key_id === record.key_id ? null : "SUBJECT"
  }
  if (subject.kind === "POLICY") return subject.persons <= subject.of ? null : "SUBJECT"
  if (subject.kind !== "REVOKE") return null
  const key = register.keys.get(subject.key_id)
  return key && key.state !== "REVOKED" ? null : "SUBJECT"
}

function proposed({ record, register, ofCase }: Judged): RecordJudgement {
  const { until, recorded_at: at, hit } = record
  const length = instant(until ?? at) - instant(at)
  if (length <= 0 || length > JUDGEMENT_DAYS_MAX * DAY) return { fault: "UNTIL" }
  const isSame = (one: ReviewRecord) => canonicalize(one.hit) === canonicalize(hit)
  if (ofCase?.open.some(isSame)) return { fault: "PROPOSAL_OPEN" }
  return register.policy.persons > 1 ? effect("OPENED") : whenEnough(register)
}

/**
 * CHOICE: the person of a new key counts by an active key only, so nobody admits a second person alone. Where one person judges, a first key counts at
 * once, and a further one after an approval: only the new key signs its enrolment, so else a stolen session would be enough to add a key.
 */
function enrolment({ record, subject, register }: Judged): RecordJudgement {
  const isAdmitted = subject?.kind === "ENROL" && subject.break_glass !== null
  const isFirst = record.reviewer !== null && !hasKey(register, record.reviewer)
  return effect(isAdmitted || (register.policy.persons === 1 && isFirst) ? "EFFECTIVE" : "OPENED")
}

function policyChange({ subject, register }: Judged): RecordJudgement {
  if (subject?.kind !== "POLICY") return { fault: "SUBJECT" }
  const mustWait = isLaxer(register.policy, subject) && register.policy.persons > 1
  // A policy that nobody could meet would end all judgements.
  return whenEnough(register, subject, mustWait ? "OPENED" : "EFFECTIVE")
}

function approval({ record, register, answered }: Judged): RecordJudgement {
  if (answered?.state !== "OPEN") return { fault: "NOT_OPEN" }
  const proposal = answered.record
  if (differs(record, proposal)) return { fault: "DIFFERS" }
  const isEnrolment = proposal.kind === "ENROL"
  // The key may have been revoked while its enrolment waited. It stays so: who wants it back enrols another one.
  if (isEnrolment && register.keys.get(proposal.key_id ?? "")?.state !== "PENDING") return { fault: "KEY_NOT_ACTIVE" }
  if (!isEnrolment && proposal.reviewer === record.reviewer) return { fault: "OWN_PROPOSAL" }
  if (proposal.until !== null && instant(proposal.until) <= instant(record.recorded_at)) return { fault: "UNTIL" }
  const counts = ({ reviewer, key_id }: Pick<ReviewRecord, "reviewer" | "key_id">) =>
    reviewer !== null && isActive(register, key_id) && !isRecused(register, reviewer, proposal.case)
  if (answered.approvals.some((one) => one.reviewer === record.reviewer && counts(one))) {
    return { fault: "APPROVED_ALREADY" }
  }
  if (!isEnrolment && !counts(proposal)) return { fault: "PROPOSER_LOST" }
  const judging = [...(isEnrolment ? [] : [proposal]), ...answered.approvals.filter(counts), record]
  const persons = new Set(judging.map(({ reviewer }) => reviewer)).size
  if (persons < register.policy.persons) return effect("COUNTED")
  if (isEnrolment) return effect("EFFECTIVE")
  const enough = whenEnough(register)
  return enough.fault === null && answered.subject?.kind === "POLICY" ? whenEnough(register, answered.subject) : enough
}

function ending({ record, answered }: Judged, whoseFault: (proposal: Proposal) => RecordFault | null): RecordJudgement {
  if (answered?.state !== "OPEN") return { fault: "NOT_OPEN" }
  if (differs(record, answered.record)) return { fault: "DIFFERS" }
  const fault = whoseFault(answered)
  return fault === null ? effect("ENDED") : { fault }
}

/** An answer repeats what it answers: the same case, entry and end, so the same bytes were shown. */
function differs(answer: ReviewRecord, answered: ReviewRecord): boolean {
  return REPEATED.some((name) => canonicalize(answer[name]) !== canonicalize(answered[name]))
}

function whenEnough(
  register: Register,
  { of }: ReviewPolicy = register.policy,
  then: RecordEffect = "EFFECTIVE",
): RecordJudgement {
  return activePersons(register).size >= of ? effect(then) : { fault: "TOO_FEW_PERSONS" }
}
