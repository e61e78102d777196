/** Records of an organization's delivered decisions. Read only for later decisions of that organization (rulings 45). */
import { and, desc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm"
import { bind, first, query, rows, type Tables, type Unit } from "../unit.ts"

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
    })
    .onConflictDoNothing()
    .returning({ requestId: t.authorizationRecord.requestId }),
)

export function* keepRecord(record: AuthorizationRecord): Unit<void> {
  yield* rows(insert, { ...record })
}

type RecordTable = Tables["authorizationRecord"]
type RecordColumn =
  | "supplierKey"
  | "supplierEntityId"
  | "obligationKey"
  | "documentDigest"
  | "instructionDigest"
  | "responseDigest"

/** Rows of the organization with these values in these columns. */
const withValues = (t: RecordTable, columns: readonly RecordColumn[]): SQL[] => [
  eq(t.organizationId, bind("organizationId")),
  ...columns.map((column) => eq(t[column], bind(column))),
]

/**
 * Whether a record with the same value in `column` has another name or identifier. A different one sorts before or after the given one.
 * Each side takes one seek, while `<>` reads every record.
 */
function oneSide(column: "supplierKey" | "supplierEntityId", side: (t: RecordTable) => readonly SQL[]) {
  return query((db, { authorizationRecord: t }) =>
    db
      .select({ requestId: t.requestId })
      .from(t)
      .where(and(...withValues(t, [column]), ...side(t)))
      .limit(1),
  )
}

const nameBefore = oneSide("supplierKey", (t) => [
  gt(t.supplierNameKey, sql`''`),
  lt(t.supplierNameKey, bind("nameKey")),
])
const nameAfter = oneSide("supplierKey", (t) => [gt(t.supplierNameKey, bind("nameKey"))])
const identifierBefore = oneSide("supplierEntityId", (t) => [lt(t.supplierKey, bind("supplierKey"))])
const identifierAfter = oneSide("supplierEntityId", (t) => [gt(t.supplierKey, bind("supplierKey"))])

/** Records with one of the decisions and these values in these columns; newest first. */
function newest(isDecided: (t: RecordTable) => SQL, limit: number, ...columns: readonly RecordColumn[]) {
  return query((db, { authorizationRecord: t }) =>
    db
      .select()
      .from(t)
      .where(and(...withValues(t, columns), isDecided(t)))
      .orderBy(desc(t.decidedAt), desc(t.requestId))
      .limit(limit),
  )
}

const isAllow = (t: RecordTable) => eq(t.decision, "ALLOW")
const isAuthorizing = (t: RecordTable) => inArray(t.decision, AUTHORIZING)

const allowed = newest(isAllow, RECORDS_MAX, "supplierKey")
const latest = newest(isAuthorizing, 1, "supplierKey")
const ofObligation = newest(isAuthorizing, RECORDS_MAX, "supplierKey", "obligationKey")
const ofDocument = newest(isAuthorizing, RECORDS_MAX, "documentDigest")
const ofInstruction = newest(isAuthorizing, RECORDS_MAX, "instructionDigest")
const ofResponse = query((db, { authorizationRecord: t }) =>
  db
    .select()
    .from(t)
    .where(and(...withValues(t, ["responseDigest"]))),
)

/** Whether an earlier decision about this identifier had another name. Records without a name do not count. */
export function* knownByAnotherName(organizationId: string, supplierKey: string, nameKey: string): Unit<boolean> {
  const known = { organizationId, supplierKey, nameKey }
  return ((yield* first(nameBefore, known)) ?? (yield* first(nameAfter, known))) !== undefined
}

/** Whether an earlier decision about this entity id had another identifier. */
export function* knownByAnotherIdentifier(
  organizationId: string,
  supplierEntityId: string,
  supplierKey: string,
): Unit<boolean> {
  const known = { organizationId, supplierEntityId, supplierKey }
  return ((yield* first(identifierBefore, known)) ?? (yield* first(identifierAfter, known))) !== undefined
}

/** Delivered ALLOWs about a supplier, newest first. */
export function* allowedOfSupplier(organizationId: string, supplierKey: string): Unit<AuthorizationRecord[]> {
  return yield* rows(allowed, { organizationId, supplierKey })
}

/** The newest decision that permitted a payment to this supplier, with or without conditions. */
export function* latestAuthorization(organizationId: string, supplierKey: string): Unit<AuthorizationRecord | null> {
  return (yield* first(latest, { organizationId, supplierKey })) ?? null
}

export function* recordsOfObligation(
  organizationId: string,
  supplierKey: string,
  obligationKey: string,
): Unit<AuthorizationRecord[]> {
  return yield* rows(ofObligation, { organizationId, supplierKey, obligationKey })
}

export function* recordsOfDocument(organizationId: string, documentDigest: string): Unit<AuthorizationRecord[]> {
  return yield* rows(ofDocument, { organizationId, documentDigest })
}

export function* recordsOfInstruction(organizationId: string, instructionDigest: string): Unit<AuthorizationRecord[]> {
  return yield* rows(ofInstruction, { organizationId, instructionDigest })
}

export function* recordOfResponse(organizationId: string, responseDigest: string): Unit<AuthorizationRecord | null> {
  return (yield* first(ofResponse, { organizationId, responseDigest })) ?? null
}
