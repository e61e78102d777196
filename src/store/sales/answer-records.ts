/**
 * Records of delivered answers of the answer products. Read only for later answers to the same payer, or for the named organization
 * (rulings 45, 48).
 */
import { and, desc, eq, getTableColumns, inArray } from "drizzle-orm"
import { bind, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"
import { indexedKey, wholeIfLong, wholeKey } from "../indexed-key.ts"
import { newestFirst } from "./authorization-records.ts"

export interface AnswerRecord {
  readonly requestId: string
  readonly product: string
  /** The payer's address in lower case. */
  readonly owner: string
  /** Set when an organization's agent signed for the answer. */
  readonly organizationId: string | null
  readonly keyId: string | null
  readonly executionId: string
  readonly coreDigest: string
  /** The company, by number or strongest checked identifier. */
  readonly subject: string
  /** Normalised legal name; "" when none matters. */
  readonly nameKey: string
  readonly obligationKey: string | null
  readonly documentDigest: string | null
  readonly payeeFingerprint: string | null
  readonly destinationFingerprint: string | null
  readonly decision: string
  readonly decidedAt: string
  readonly validUntil: string
  /** The payer's supplier. Null for a company without an identity set: a UK company, or one whose answer did not let the payer continue. */
  readonly supplierId: string | null
  /** The supplier of the organization for which the answer was bought. */
  readonly organizationSupplierId: string | null
}

/** Limit of records that enter an answer; newest first. */
const RECORDS_MAX = 200
/**
 * Answers after which a caller may have continued. Only these are read back, so that bought refusals cannot push them out of the newest.
 */
export const GOING_ON: readonly string[] = ["APPROVE", "CONDITIONAL"]

const insert = query((db, t) =>
  db
    .insert(t.answerRecord)
    .values({
      requestId: bind("requestId"),
      product: bind("product"),
      owner: bind("owner"),
      organizationId: bind("organizationId"),
      keyId: bind("keyId"),
      executionId: bind("executionId"),
      coreDigest: bind("coreDigest"),
      subject: bind("subject"),
      nameKey: bind("nameKey"),
      obligationKey: bind("obligationKey"),
      documentDigest: bind("documentDigest"),
      payeeFingerprint: bind("payeeFingerprint"),
      destinationFingerprint: bind("destinationFingerprint"),
      decision: bind("decision"),
      decidedAt: bind("decidedAt"),
      validUntil: bind("validUntil"),
      supplierId: bind("supplierId"),
      organizationSupplierId: bind("organizationSupplierId"),
      wholeObligationKey: bind("wholeObligationKey"),
    })
    .onConflictDoNothing()
    .returning({ requestId: t.answerRecord.requestId }),
)

export function* keepAnswerRecord(record: AnswerRecord): Unit<void> {
  const { obligationKey: key } = record
  const whole = key === null ? null : wholeIfLong(key)
  yield* rows(insert, { ...record, obligationKey: key && indexedKey(key), wholeObligationKey: whole })
}

/** The columns of a record, with the whole key of its obligation. */
function recordOf({ answerRecord }: Tables) {
  const { wholeObligationKey, ...columns } = getTableColumns(answerRecord)
  return { ...columns, obligationKey: wholeKey<string | null>(wholeObligationKey, columns.obligationKey) }
}

const byExecution = query((db, t) =>
  db
    .select(recordOf(t))
    .from(t.answerRecord)
    .where(eq(t.answerRecord.executionId, bind("executionId"))),
)
const byCoreDigest = query((db, t) =>
  db
    .select(recordOf(t))
    .from(t.answerRecord)
    .where(eq(t.answerRecord.coreDigest, bind("coreDigest"))),
)

type AnswerColumn = "supplierId" | "obligationKey" | "documentDigest"

/** Answers of one product to one payer after which it may have continued, with these values in these columns; newest first. */
function goingOn(...columns: readonly AnswerColumn[]) {
  return query((db, tables) => {
    const { answerRecord: t } = tables
    return db
      .select(recordOf(tables))
      .from(t)
      .where(
        and(
          eq(t.owner, bind("owner")),
          eq(t.product, bind("product")),
          ...columns.map((column) => eq(t[column], bind(column))),
          inArray(t.decision, GOING_ON),
        ),
      )
      .orderBy(desc(t.decidedAt), desc(t.requestId))
      .limit(RECORDS_MAX)
  })
}

const ofObligation = goingOn("supplierId", "obligationKey")
const ofDocument = goingOn("documentDigest")
const ofRequest = query((db, t) =>
  db
    .select(recordOf(t))
    .from(t.answerRecord)
    .where(eq(t.answerRecord.requestId, bind("requestId"))),
)

/**
 * An earlier answer to this payer by its execution id, with any decision. An answer to another payer is not found. `owner` null: to any payer.
 */
export function* answerOfExecution(owner: string | null, executionId: string): Unit<AnswerRecord | null> {
  const record = yield* first(byExecution, { executionId })
  return record && (owner === null || record.owner === owner) ? record : null
}

/** By the digest in its capsule. The caller must check the owner. */
export function* answerOfCore(coreDigest: string): Unit<AnswerRecord | null> {
  return (yield* first(byCoreDigest, { coreDigest })) ?? null
}

/** Earlier answers of one product to this payer about one obligation of its suppliers, after which it may have continued. */
export function* answersOfObligation(
  owner: string,
  product: string,
  supplierIds: readonly string[],
  obligationKey: string,
): Unit<AnswerRecord[]> {
  const found: AnswerRecord[] = []
  for (const supplierId of supplierIds) {
    found.push(...(yield* rows(ofObligation, { owner, product, supplierId, obligationKey: indexedKey(obligationKey) })))
  }
  return found.sort(newestFirst).slice(0, RECORDS_MAX)
}

export function* answersOfDocument(owner: string, product: string, documentDigest: string): Unit<AnswerRecord[]> {
  return yield* rows(ofDocument, { owner, product, documentDigest })
}

/** With any decision. The caller must check the owner. */
export function* answerOfRequest(requestId: string): Unit<AnswerRecord | null> {
  return (yield* first(ofRequest, { requestId })) ?? null
}
