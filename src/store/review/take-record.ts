/**
 * Stores one record with everything that it does, in one unit: its leaf in the log, the state of its case, keys and policy, and the judgement that
 * it completes. What the unit reads decides, not what the caller saw before: a record that races a revocation, a new policy, another record or a
 * changed list is refused, and nothing of it is stored.
 */

import { canonicalize } from "../../core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { digestBytes } from "../../core/digest.ts"
import { judgeRecord, type Proposal, type RecordEffect, type RecordFault } from "../../core/review/judge-record.ts"
import { isSessionKind } from "../../core/review/record-members.ts"
import type { PasskeyAssertion, ReviewReason, ReviewRecord, ReviewSubject } from "../../core/review/record-types.ts"
import type { Register } from "../../core/review/register.ts"
import {
  type AppliedRecord,
  bookAfter,
  type ReviewBook,
  registerAfter,
  stateOf,
} from "../../core/review/review-book.ts"
import { entryDigest } from "../../core/review/review-chain.ts"
import { instant } from "../../core/time.ts"
import { bind, inOrder, query, rows, type Unit } from "../engine/unit.ts"
import { appendStatement } from "../log/transparency-log.ts"
import { isVoid } from "../restores.ts"
import { addSuppressions, type SuppressionRow } from "../sources/suppressions.ts"
import { findCase, updateCase } from "./review-cases.ts"
import {
  bookOfCase,
  bookOfProposal,
  CASE_RECORDS_MAX,
  CASE_RECORDS_WITH_NOTES_MAX,
  findRecord,
  insertRecord,
  type JudgedParty,
  newestDigest,
  nextEntry,
  recordAudience,
} from "./review-records.ts"
import { findReviewer, KEYS_MAX, keysOf, type ReviewerKey, readRegister, writeRegister } from "./review-register.ts"
import { type AssertionFault, spendAssertion } from "./spend-assertion.ts"

/** A record whose assertion the caller has verified. */
export interface GivenRecord {
  readonly record: ReviewRecord
  readonly subject: ReviewSubject | null
  readonly reason: ReviewReason | null
  readonly judged: JudgedParty | null
  /** The case as the reviewer saw it: the bytes of `case_digest`. */
  readonly shown: string | null
  readonly signed: {
    readonly assertion: PasskeyAssertion
    /** Of the assertion. */
    readonly counter: number
    readonly challenge: string
    readonly sessionHash: string
  } | null
  /** RFC 3339. */
  readonly at: string
  /** For the judgement that the record may complete. */
  readonly suppressionId: string
  /** Whether a list in use has the entry as it was judged. Called in the unit, so it must be a look into memory. */
  readonly isListed: (entry: {
    readonly source_id: string
    readonly entry_id: string
    readonly entry_hash: string
  }) => boolean
}

export type TakeFault =
  | RecordFault
  | AssertionFault
  /** Another record about the case came in between. */
  | "STALE"
  | "CASE_UNKNOWN"
  | "CASE_DIFFERS"
  | "REVIEWER_UNKNOWN"
  | "REVIEWER_DIFFERS"
  | "TOO_MANY_KEYS"
  | "TOO_MANY_RECORDS"
  | "TOO_MANY_NOTES"
  | "ENTRY_CHANGED"
  | "JUDGED_ALREADY"
  /** The judgement that says so was made before a restore, which paused it. */
  | "JUDGED_PAUSED"
  | "TOO_MANY_JUDGEMENTS"

export type Taken =
  | { readonly fault: TakeFault }
  | {
      readonly fault: null
      readonly sequence: number
      readonly digest: string
      readonly effect: RecordEffect
      /** Of the judgement that took effect. */
      readonly suppressionId: string | null
    }

const insertDocument = query((db, t) =>
  db
    .insert(t.reviewDocument)
    .values({ digest: bind("digest"), document: bind("document") })
    .onConflictDoNothing()
    .returning({ digest: t.reviewDocument.digest }),
)
const insertJudgement = query((db, t) =>
  db
    .insert(t.reviewJudgement)
    .values({
      recordDigest: bind("recordDigest"),
      caseNumber: bind("caseNumber"),
      suppressionId: bind("suppressionId"),
    })
    .returning({ recordDigest: t.reviewJudgement.recordDigest }),
)

export function* takeRecord(given: GivenRecord): Unit<Taken> {
  // It also makes these units run one after the other, over all processes.
  yield* inOrder("log")
  const { record, subject } = given
  const fault = (yield* signingFault(given)) ?? (yield* placeFault(given))
  if (fault !== null) return { fault }
  const register = yield* readRegister()
  const { book, answered, count } = yield* knownBefore(record)
  if (count >= CASE_RECORDS_MAX) return { fault: "TOO_MANY_RECORDS" }
  if (isSessionKind(record.kind) && count >= CASE_RECORDS_WITH_NOTES_MAX) return { fault: "TOO_MANY_NOTES" }
  const judged = judgeRecord({ record, subject, register, answered, ofCase: record.case && book })
  if (judged.fault !== null) return { fault: judged.fault }
  const { effect } = judged
  const isNewClaim = record.kind === "OTHER_PARTY" || record.kind === "APPROVE"
  if (isNewClaim && record.hit !== null && !given.isListed(record.hit)) return { fault: "ENTRY_CHANGED" }
  const judgement = effect === "EFFECTIVE" && record.hit !== null ? yield* addJudgement(given) : null
  if (typeof judgement === "string") return { fault: judgement }
  const document = canonicalize(record)
  const applied = { digest: digestBytes(document), record, subject, effect }
  const sequence = yield* append(given, applied, document)
  if (judgement) yield* rows(insertJudgement, { ...judgement, caseNumber: record.case?.number ?? 0 })
  yield* followCase(given, bookAfter(book, applied))
  yield* followRegister(given, { register, applied, answered, sequence })
  return { fault: null, sequence, digest: applied.digest, effect, suppressionId: judgement?.suppressionId ?? null }
}

/** Spends the challenge, and keeps the counter. */
function* signingFault({ record, signed, at }: GivenRecord): Unit<TakeFault | null> {
  if (signed === null) return record.key_id === null ? null : "MEMBERS"
  const { challenge, sessionHash, counter } = signed
  return yield* spendAssertion({ keyId: record.key_id ?? "", counter, challenge, sessionHash, at })
}

function* placeFault({ record, subject }: GivenRecord): Unit<TakeFault | null> {
  const about = record.case
  const audience = yield* recordAudience()
  if (audience !== null && record.audience !== audience) return "STALE"
  if (record.previous !== (yield* newestDigest(about?.number ?? 0))) return "STALE"
  if (about !== null) {
    const row = yield* findCase(about.number)
    if (!row) return "CASE_UNKNOWN"
    const isSame =
      row.product === about.product && row.payer === about.payer && row.organizationId === about.organization_id
    if (!isSame) return "CASE_DIFFERS"
  }
  if (record.reviewer === null) return null
  const reviewer = yield* findReviewer(record.reviewer)
  if (!reviewer) return "REVIEWER_UNKNOWN"
  if (subject?.kind !== "ENROL") return null
  const { name, recusals, break_glass } = subject
  const isSame =
    reviewer.name === name &&
    reviewer.breakGlass === break_glass &&
    canonicalize(reviewer.recusals) === canonicalize(recusals)
  if (!isSame) return "REVIEWER_DIFFERS"
  return (yield* keysOf(record.reviewer)).length >= KEYS_MAX ? "TOO_MANY_KEYS" : null
}

/**
 * What the records before it came to. `count`: how many there are about the case. What was proposed before a restore cannot be approved: keys that
 * approved it may have been revoked in the lost hours. To reject or withdraw it only takes away, and lets the case be judged anew.
 */
function* knownBefore({ kind, case: about, answers }: ReviewRecord): Unit<{
  readonly book: ReviewBook
  readonly answered: Proposal | null
  readonly count: number
}> {
  const { book, count } = about
    ? yield* bookOfCase(about.number)
    : { book: yield* bookOfProposal(answers ?? ""), count: 0 }
  const answered = answers === null ? null : (book.proposals.get(answers) ?? null)
  const isLost = kind === "APPROVE" && answered !== null && (yield* isVoid(answered.record.recorded_at))
  return { book, answered: isLost ? null : answered, count }
}

/** The judgement of what was approved, or of a proposal that needs no approval. */
function* addJudgement({
  record,
  reason,
  judged,
  at,
  suppressionId,
}: GivenRecord): Unit<{ readonly recordDigest: string; readonly suppressionId: string } | TakeFault> {
  const approved = record.answers === null ? null : yield* findRecord(record.answers)
  const proposal = approved?.record ?? record
  const party = approved ? approved.judged : judged
  const why = approved ? approved.reason : reason
  const author = yield* findReviewer(proposal.reviewer ?? "")
  const { hit, until } = proposal
  if (!hit || !until || !party || !why || !author) return "MEMBERS"
  const row: SuppressionRow = {
    suppressionId,
    partyDigest: hit.party_digest,
    party: party.party,
    sourceId: hit.source_id,
    entryId: hit.entry_id,
    entryHash: hit.entry_hash,
    author: author.name,
    reason: why.text,
    createdAt: at,
    expiresAt: until,
    detailsVersion: party.details_version,
    detailsDigest: hit.details_digest,
  }
  if (instant(until) <= instant(at)) return "UNTIL"
  const added = yield* addSuppressions([row])
  if (added === "TOO_MANY") return "TOO_MANY_JUDGEMENTS"
  if (added[0]?.outcome === "PAUSED") return "JUDGED_PAUSED"
  if (added[0]?.outcome !== "ADDED") return "JUDGED_ALREADY"
  return { recordDigest: record.answers ?? digestBytes(canonicalize(record)), suppressionId }
}

/** The row and its leaf. Returns its place. */
function* append(given: GivenRecord, applied: AppliedRecord, document: string): Unit<number> {
  const { reason, judged, shown, signed } = given
  const { sequence, previous } = yield* nextEntry()
  const place = { sequence, record_digest: applied.digest, previous_entry: previous }
  const entry = entryDigest(place, NATIVE_CRYPTO)
  const logIndex = yield* appendStatement("REVIEW", entry)
  const assertion = signed?.assertion ?? null
  const row = { ...applied, sequence, entryDigest: entry, previousEntry: previous, assertion, reason, judged, logIndex }
  yield* insertRecord(row, document)
  const digest = applied.record.case?.case_digest
  if (shown !== null && digest !== undefined) yield* rows(insertDocument, { digest, document: shown })
  return sequence
}

function* followCase({ record, subject }: GivenRecord, book: ReviewBook): Unit<void> {
  if (record.case === null) return
  const row = yield* findCase(record.case.number)
  if (!row) throw new Error("the case is gone inside the unit that read it")
  const assignee = subject?.kind === "ASSIGN" ? subject.assignee : row.assignee
  const state = stateOf(book)
  if (state !== row.state || assignee !== row.assignee) yield* updateCase(row, { state, assignee })
}

interface RegisterStep {
  readonly register: Register
  readonly applied: AppliedRecord
  readonly answered: Proposal | null
  readonly sequence: number
}

function* followRegister({ subject, signed, at }: GivenRecord, step: RegisterStep): Unit<void> {
  const { register, applied, answered, sequence } = step
  if (applied.record.case !== null) return
  const enrolled: ReviewerKey | null =
    subject?.kind === "ENROL"
      ? {
          keyId: subject.key_id,
          reviewerId: subject.reviewer,
          credentialId: subject.credential_id,
          publicKey: subject.public_key,
          algorithm: subject.algorithm,
          counter: signed?.counter ?? 0,
          state: "PENDING",
          recusals: subject.recusals,
          enrolledAt: at,
          breakGlass: subject.break_glass,
        }
      : null
  yield* writeRegister(register, registerAfter(register, applied, answered), { sequence, enrolled })
}
