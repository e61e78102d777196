/** What reviewers recorded, in its order: rows are only added, and of a note the text may be removed. */
import { and, asc, desc, eq, gt } from "drizzle-orm"
import type { RecordEffect } from "../../core/review/judge-record.ts"
import type { PasskeyAssertion, ReviewReason, ReviewRecord, ReviewSubject } from "../../core/review/record-types.ts"
import { type AppliedRecord, bookAfter, EMPTY_BOOK, type ReviewBook } from "../../core/review/review-book.ts"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"

/** What a judgement needs beside its record. */
export interface JudgedParty {
  /** JSON of the screened party. */
  readonly party: string
  /** Version of the reader of what the publisher prints. */
  readonly details_version: string | null
}

export interface StoredRecord extends AppliedRecord {
  readonly sequence: number
  readonly entryDigest: string
  /** Of the record before it; null for the first. */
  readonly previousEntry: string | null
  readonly assertion: PasskeyAssertion | null
  /** Null: none, or the text of a note that was removed. */
  readonly reason: ReviewReason | null
  readonly judged: JudgedParty | null
  readonly logIndex: number
}

/** Records about one case. Each unit about the case reads them. */
export const CASE_RECORDS_MAX = 200
/** CHOICE: the last fifty records about a case need a passkey, so that notes keep no proposal from its answer. */
export const CASE_RECORDS_WITH_NOTES_MAX = 150

interface Row {
  readonly sequence: number
  readonly digest: string
  readonly entryDigest: string
  readonly previousEntry: string | null
  readonly effect: RecordEffect
  readonly document: string
  readonly assertion: string | null
  readonly subject: string | null
  readonly reason: string | null
  readonly judged: string | null
  readonly logIndex: number
}

const parsed = <Value>(text: string | null): Value | null => (text === null ? null : (JSON.parse(text) as Value))

/** A row as it is stored. */
export function readRecord(row: Row): StoredRecord {
  const { sequence, digest, entryDigest, previousEntry, effect, logIndex } = row
  return {
    ...{ sequence, digest, entryDigest, previousEntry, effect, logIndex },
    record: JSON.parse(row.document) as ReviewRecord,
    assertion: parsed<PasskeyAssertion>(row.assertion),
    subject: parsed<ReviewSubject>(row.subject),
    reason: parsed<ReviewReason>(row.reason),
    judged: parsed<JudgedParty>(row.judged),
  }
}

const newestOf = query((db, { reviewRecord: t }) =>
  db
    .select({ sequence: t.sequence, digest: t.digest })
    .from(t)
    .where(eq(t.caseNumber, bind("caseNumber")))
    .orderBy(desc(t.sequence))
    .limit(1),
)
const newest = query((db, { reviewRecord: t }) =>
  db.select({ sequence: t.sequence, entryDigest: t.entryDigest }).from(t).orderBy(desc(t.sequence)).limit(1),
)
const ofCase = query((db, { reviewRecord: t }) =>
  db
    .select()
    .from(t)
    .where(and(eq(t.caseNumber, bind("caseNumber")), gt(t.sequence, bind("sequence"))))
    .orderBy(asc(t.sequence))
    .limit(CASE_RECORDS_MAX),
)
const byDigest = query((db, { reviewRecord: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.digest, bind("digest"))),
)
const answering = query((db, { reviewRecord: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.answers, bind("digest")))
    .orderBy(asc(t.sequence))
    .limit(CASE_RECORDS_MAX),
)
const after = query((db, { reviewRecord: t }) =>
  db
    .select()
    .from(t)
    .where(gt(t.sequence, bind("sequence")))
    .orderBy(asc(t.sequence))
    .limit(bind("limit")),
)
const insert = query((db, t) =>
  db
    .insert(t.reviewRecord)
    .values({
      sequence: bind("sequence"),
      digest: bind("digest"),
      entryDigest: bind("entryDigest"),
      previousEntry: bind("previousEntry"),
      caseNumber: bind("caseNumber"),
      effect: bind("effect"),
      answers: bind("answers"),
      document: bind("document"),
      assertion: bind("assertion"),
      subject: bind("subject"),
      reason: bind("reason"),
      judged: bind("judged"),
      logIndex: bind("logIndex"),
    })
    .returning({ sequence: t.reviewRecord.sequence }),
)
const withoutReason = write((db, { reviewRecord: t }) =>
  db
    .update(t)
    .set({ reason: bound("reason") })
    .where(eq(t.sequence, bind("sequence"))),
)

/** Of the newest record about a case, or about reviewers (0); null before the first. */
export function* newestDigest(caseNumber: number): Unit<string | null> {
  return (yield* first(newestOf, { caseNumber }))?.digest ?? null
}

/** Where the next record goes. */
export function* nextEntry(): Unit<{ readonly sequence: number; readonly previous: string | null }> {
  const last = yield* first(newest)
  return { sequence: (last?.sequence ?? 0) + 1, previous: last?.entryDigest ?? null }
}

/** Those after this one about a case, or about reviewers (0), in their order: at most {@link CASE_RECORDS_MAX}. */
export function* recordsOfCase(caseNumber: number, sequence = 0): Unit<readonly StoredRecord[]> {
  return (yield* rows(ofCase, { caseNumber, sequence })).map(readRecord)
}

/** What the records about a case came to. */
export function* bookOfCase(caseNumber: number): Unit<{ readonly book: ReviewBook; readonly count: number }> {
  const records = yield* recordsOfCase(caseNumber)
  return { book: records.reduce(bookAfter, EMPTY_BOOK), count: records.length }
}

/** A proposal with the records that answered it. */
export function* bookOfProposal(digest: string): Unit<ReviewBook> {
  const proposal = yield* first(byDigest, { digest })
  const answers = yield* rows(answering, { digest })
  return [...(proposal ? [proposal] : []), ...answers].map(readRecord).reduce(bookAfter, EMPTY_BOOK)
}

export function* findRecord(digest: string): Unit<StoredRecord | null> {
  const row = yield* first(byDigest, { digest })
  return row ? readRecord(row) : null
}

/** At most `limit` records after this one, in their order. */
export function* recordsAfter(sequence: number, limit: number): Unit<readonly StoredRecord[]> {
  return (yield* rows(after, { sequence, limit })).map(readRecord)
}

/** `document`: the canonical JSON of the record. */
export function* insertRecord(record: StoredRecord, document: string): Unit<void> {
  const { sequence, digest, entryDigest, previousEntry, effect, assertion, subject, reason, judged, logIndex } = record
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  yield* rows(insert, {
    ...{ sequence, digest, entryDigest, previousEntry, effect, document, logIndex },
    caseNumber: record.record.case?.number ?? 0,
    answers: record.record.answers ?? "",
    assertion: json(assertion),
    subject: json(subject),
    reason: json(reason),
    judged: json(judged),
  })
}

/**
 * The service that every record names; null before the first record. CHOICE: the first record fixes it, so that the records of a service that moves to
 * another address still verify as one chain.
 */
export function* recordAudience(): Unit<string | null> {
  const [first] = yield* recordsAfter(0, 1)
  return first?.record.audience ?? null
}

/** Removes the text of a note, whose digest stays. A reason is evidence, and stays whole. */
export function* redactNote(sequence: number): Unit<"REDACTED" | "UNKNOWN" | "NO_NOTE" | "REDACTED_ALREADY"> {
  const [found] = yield* recordsAfter(sequence - 1, 1)
  if (found?.sequence !== sequence) return "UNKNOWN"
  if (found.record.kind !== "NOTE") return "NO_NOTE"
  if (found.reason === null) return "REDACTED_ALREADY"
  yield* changed(withoutReason, { sequence, reason: null })
  return "REDACTED"
}
