/** Which members a record of each kind has. Every other member of those below is null. */
import { type ReviewKind, type ReviewRecord, SESSION_KINDS } from "../../../schemas/review.ts"

/** The members that depend on the kind. */
type Member = "case" | "hit" | "subject_digest" | "reason_digest" | "until" | "answers"
const MEMBERS: readonly Member[] = ["case", "hit", "subject_digest", "reason_digest", "until", "answers"]

interface Needs {
  readonly needs: readonly Member[]
  /** Members that the record may also have. */
  readonly may?: readonly Member[]
}

/** An answer repeats what it answers, so these members are compared with that record. */
export const REPEATED = ["case", "hit", "subject_digest", "until"] as const satisfies readonly Member[]

const NEEDS: Readonly<Record<ReviewKind, Needs>> = {
  OTHER_PARTY: { needs: ["case", "hit", "reason_digest", "until"] },
  SAME_PARTY: { needs: ["case", "hit", "reason_digest"] },
  UNSURE: { needs: ["case", "hit", "reason_digest"] },
  CLOSE: { needs: ["case", "reason_digest"] },
  APPROVE: { needs: ["answers"], may: ["reason_digest", ...REPEATED] },
  REJECT: { needs: ["answers", "reason_digest"], may: REPEATED },
  WITHDRAW: { needs: ["answers"], may: ["reason_digest", ...REPEATED] },
  ENROL: { needs: ["subject_digest"] },
  REVOKE: { needs: ["subject_digest", "reason_digest"] },
  POLICY: { needs: ["subject_digest", "reason_digest"] },
  NOTE: { needs: ["case", "reason_digest"] },
  ASSIGN: { needs: ["case", "subject_digest"] },
}

/** Kinds whose subject is a document of the same kind. */
export const SUBJECT_KINDS: readonly ReviewKind[] = ["ENROL", "REVOKE", "POLICY", "ASSIGN"]

export function isSessionKind(kind: ReviewKind): boolean {
  return (SESSION_KINDS as readonly ReviewKind[]).includes(kind)
}

/** The first member that a record of this kind lacks, or must not have. Null if it has what it needs. */
export function memberFault(record: ReviewRecord): Member | "key_id" | "reviewer" | null {
  const { needs, may = [] } = NEEDS[record.kind]
  const wrong = MEMBERS.find((name) =>
    record[name] === null ? needs.includes(name) : !needs.includes(name) && !may.includes(name),
  )
  if (wrong !== undefined) return wrong
  // Only the operator takes a key away without a passkey.
  const isUnsigned = isSessionKind(record.kind) || (record.kind === "REVOKE" && record.reviewer === null)
  if ((record.key_id === null) !== isUnsigned) return "key_id"
  return record.reviewer === null && record.kind !== "REVOKE" ? "reviewer" : null
}
