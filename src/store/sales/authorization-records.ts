/** Records of an organization's delivered decisions. Read only for later decisions of that organization (rulings 45). */
import { and, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm"
import { bind, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"
import { indexedKey, wholeIfLong, wholeKey } from "../indexed-key.ts"

export interface AuthorizationRecord {
  readonly requestId: string
  readonly organizationId: string
  readonly supplierKey: string
  readonly supplierEntityId: string
  readonly supplierNameKey: string
  readonly obligationKey: string
  readonly documentDigest: string
  readonly instructionDigest: string
  readonly payeeFingerprint: string
  readonly destinationFingerprint: string
  readonly mandateKeyId: string
  readonly decision: string
  readonly decisionId: string
  readonly responseDigest: string
  readonly decidedAt: string
  readonly validUntil: string
  /** The supplier whose set it belongs to. Null for a decision after which no money may have moved. */
  readonly supplierId: string | null
}

/** Limit of records of each kind that enter a decision; newest first. */
export const RECORDS_MAX = 200
/**
 * Decisions on which a payment may have been released. Only these are read back, so that bought HOLDs and BLOCKs cannot push an
 * authorization out of the newest.
 */
export const AUTHORIZING: readonly string[] = ["ALLOW", "ALLOW_WITH_CONDITIONS"]

const insert = query((db, t) =>
  db
    .insert(t.authorizationRecord)
    .values({
      requestId: bind("requestId"),
      organizationId: bind("organizationId"),
      supplierKey: bind("supplierKey"),
      supplierEntityId: bind("supplierEntityId"),
      supplierNameKey: bind("supplierNameKey"),
      obligationKey: bind("obligationKey"),
      documentDigest: bind("documentDigest"),
      instructionDigest: bind("instructionDigest"),
      payeeFingerprint: bind("payeeFingerprint"),
      destinationFingerprint: bind("destinationFingerprint"),
      mandateKeyId: bind("mandateKeyId"),
      decision: bind("decision"),
      decisionId: bind("decisionId"),
      responseDigest: bind("responseDigest"),
      decidedAt: bind("decidedAt"),
      validUntil: bind("validUntil"),
      supplierId: bind("supplierId"),
      wholeObligationKey: bind("wholeObligationKey"),
    })
    .onConflictDoNothing()
    .returning({ requestId: t.authorizationRecord.requestId }),
)

export function* keepRecord(record: AuthorizationRecord): Unit<void> {
  const { obligationKey: key } = record
  yield* rows(insert, { ...record, obligationKey: indexedKey(key), wholeObligationKey: wholeIfLong(key) })
}

type RecordTable = Tables["authorizationRecord"]
type RecordColumn = "supplierId" | "obligationKey" | "documentDigest" | "instructionDigest" | "responseDigest"

/** The columns of a record, with the whole key of its obligation. */
function recordOf(t: RecordTable) {
  const { wholeObligationKey, ...columns } = getTableColumns(t)
  return { ...columns, obligationKey: wholeKey<string>(wholeObligationKey, columns.obligationKey) }
}

/** Rows of the organization with these values in these columns. */
const withValues = (t: RecordTable, columns: readonly RecordColumn[]): SQL[] => [
  eq(t.organizationId, bind("organizationId")),
  ...columns.map((column) => eq(t[column], bind(column))),
]

/** Records with one of the decisions and these values in these columns; newest first. */
function newest(isDecided: (t: RecordTable) => SQL, limit: number, ...columns: readonly RecordColumn[]) {
  return query((db, { authorizationRecord: t }) =>
    db
      .select(recordOf(t))
      .from(t)
      .where(and(...withValues(t, columns), isDecided(t)))
      .orderBy(desc(t.decidedAt), desc(t.requestId))
      .limit(limit),
  )
}

const isAllow = (t: RecordTable) => eq(t.decision, "ALLOW")
const isAuthorizing = (t: RecordTable) => inArray(t.decision, AUTHORIZING)

const allowed = newest(isAllow, RECORDS_MAX, "supplierId")
const latest = newest(isAuthorizing, 1, "supplierId")
const ofObligation = newest(isAuthorizing, RECORDS_MAX, "supplierId", "obligationKey")
const ofDocument = newest(isAuthorizing, RECORDS_MAX, "documentDigest")
const ofInstruction = newest(isAuthorizing, RECORDS_MAX, "instructionDigest")
const ofResponse = query((db, { authorizationRecord: t }) =>
  db
    .select(recordOf(t))
    .from(t)
    .where(and(...withValues(t, ["responseDigest"]))),
)
/** `requestIds`: JSON. */
const ofRequests = query((db, { authorizationRecord: t }, words) =>
  db
    .select(recordOf(t))
    .from(t)
    .where(sql`${t.requestId} in (select ${words.wholeText} from ${words.each(bind("requestIds"))})`),
)

/** Delivered ALLOWs about one supplier, newest first. */
export function* allowedOfSupplier(organizationId: string, supplierId: string): Unit<AuthorizationRecord[]> {
  return yield* rows(allowed, { organizationId, supplierId })
}

/** The newest decision that permitted a payment to one of these suppliers, with or without conditions. */
export function* latestAuthorization(
  organizationId: string,
  supplierIds: readonly string[],
): Unit<AuthorizationRecord | null> {
  const found: AuthorizationRecord[] = []
  for (const supplierId of supplierIds) found.push(...(yield* rows(latest, { organizationId, supplierId })))
  return found.sort(newestFirst)[0] ?? null
}

export function* recordsOfObligation(
  organizationId: string,
  supplierIds: readonly string[],
  obligationKey: string,
): Unit<AuthorizationRecord[]> {
  const found: AuthorizationRecord[] = []
  for (const supplierId of supplierIds) {
    found.push(...(yield* rows(ofObligation, { organizationId, supplierId, obligationKey: indexedKey(obligationKey) })))
  }
  return found.sort(newestFirst).slice(0, RECORDS_MAX)
}

/** By when a record was decided, then by its request, as the statements order them. */
export function newestFirst(one: Dated, other: Dated): number {
  if (one.decidedAt !== other.decidedAt) return one.decidedAt < other.decidedAt ? 1 : -1
  return one.requestId < other.requestId ? 1 : -1
}

type Dated = Pick<AuthorizationRecord, "decidedAt" | "requestId">

export function* recordsOfDocument(organizationId: string, documentDigest: string): Unit<AuthorizationRecord[]> {
  return yield* rows(ofDocument, { organizationId, documentDigest })
}

export function* recordsOfInstruction(organizationId: string, instructionDigest: string): Unit<AuthorizationRecord[]> {
  return yield* rows(ofInstruction, { organizationId, instructionDigest })
}

export function* recordOfResponse(organizationId: string, responseDigest: string): Unit<AuthorizationRecord | null> {
  return (yield* first(ofResponse, { organizationId, responseDigest })) ?? null
}

/** In the order of the requests, of any decision. The caller must check the organization. */
export function* recordsOfRequests(requestIds: ReadonlySet<string>): Unit<AuthorizationRecord[]> {
  const ids = [...requestIds]
  const found = ids.length === 0 ? [] : yield* rows(ofRequests, { requestIds: JSON.stringify(ids) })
  return ids.flatMap((id) => found.find(({ requestId }) => requestId === id) ?? [])
}
