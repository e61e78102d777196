/** Records of an organization's delivered decisions. Read only for later decisions of that organization (rulings 45). */
import { and, desc, eq, gt, inArray, lt, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../unit.ts"

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
const AUTHORIZING = ["ALLOW", "ALLOW_WITH_CONDITIONS"]

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

// A different name or identifier sorts before or after the given one. Each side takes one seek, while `<>` reads every record.
const nameBefore = query((db, t) =>
  db
    .select({ requestId: t.authorizationRecord.requestId })
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.supplierKey, bind("supplierKey")),
        gt(t.authorizationRecord.supplierNameKey, sql`''`),
        lt(t.authorizationRecord.supplierNameKey, bind("nameKey")),
      ),
    )
    .limit(1),
)
const nameAfter = query((db, t) =>
  db
    .select({ requestId: t.authorizationRecord.requestId })
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.supplierKey, bind("supplierKey")),
        gt(t.authorizationRecord.supplierNameKey, bind("nameKey")),
      ),
    )
    .limit(1),
)
const identifierBefore = query((db, t) =>
  db
    .select({ requestId: t.authorizationRecord.requestId })
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.supplierEntityId, bind("supplierEntityId")),
        lt(t.authorizationRecord.supplierKey, bind("supplierKey")),
      ),
    )
    .limit(1),
)
const identifierAfter = query((db, t) =>
  db
    .select({ requestId: t.authorizationRecord.requestId })
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.supplierEntityId, bind("supplierEntityId")),
        gt(t.authorizationRecord.supplierKey, bind("supplierKey")),
      ),
    )
    .limit(1),
)
const allowed = query((db, t) =>
  db
    .select()
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.supplierKey, bind("supplierKey")),
        eq(t.authorizationRecord.decision, "ALLOW"),
      ),
    )
    .orderBy(desc(t.authorizationRecord.decidedAt), desc(t.authorizationRecord.requestId))
    .limit(RECORDS_MAX),
)
const latest = query((db, t) =>
  db
    .select()
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.supplierKey, bind("supplierKey")),
        inArray(t.authorizationRecord.decision, AUTHORIZING),
      ),
    )
    .orderBy(desc(t.authorizationRecord.decidedAt), desc(t.authorizationRecord.requestId))
    .limit(1),
)
const ofObligation = query((db, t) =>
  db
    .select()
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.supplierKey, bind("supplierKey")),
        eq(t.authorizationRecord.obligationKey, bind("obligationKey")),
        inArray(t.authorizationRecord.decision, AUTHORIZING),
      ),
    )
    .orderBy(desc(t.authorizationRecord.decidedAt), desc(t.authorizationRecord.requestId))
    .limit(RECORDS_MAX),
)
const ofDocument = query((db, t) =>
  db
    .select()
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.documentDigest, bind("documentDigest")),
        inArray(t.authorizationRecord.decision, AUTHORIZING),
      ),
    )
    .orderBy(desc(t.authorizationRecord.decidedAt), desc(t.authorizationRecord.requestId))
    .limit(RECORDS_MAX),
)
const ofInstruction = query((db, t) =>
  db
    .select()
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.instructionDigest, bind("instructionDigest")),
        inArray(t.authorizationRecord.decision, AUTHORIZING),
      ),
    )
    .orderBy(desc(t.authorizationRecord.decidedAt), desc(t.authorizationRecord.requestId))
    .limit(RECORDS_MAX),
)
const ofResponse = query((db, t) =>
  db
    .select()
    .from(t.authorizationRecord)
    .where(
      and(
        eq(t.authorizationRecord.organizationId, bind("organizationId")),
        eq(t.authorizationRecord.responseDigest, bind("responseDigest")),
      ),
    ),
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
