/** Buyer organizations and their signing keys, as the routes read them. buyer-registration.ts writes them. */
import { and, asc, eq } from "drizzle-orm"
import type { organization } from "../../../db/tables/buyers.ts"
import { bind, first, query, rows, type Unit } from "../unit.ts"

export interface Organization {
  readonly organizationId: string
  readonly legalName: string
  readonly organizationDigest: string
  readonly tolerance: "LOW" | "MEDIUM" | "HIGH"
  readonly verification: {
    readonly method: string
    readonly reference: string
    readonly verifiedAt: string
    readonly validUntil: string
    readonly verifiedBy: string
  }
  readonly state: "ACTIVE" | "REVOKED"
}

export interface MandateKey {
  readonly organizationId: string
  readonly keyId: string
  readonly x: string
  readonly state: "ACTIVE" | "REVOKED"
  /** Since when the key counts as lost; null while it is ACTIVE. */
  readonly revokedSince: string | null
}

const byId = query((db, t) =>
  db
    .select()
    .from(t.organization)
    .where(eq(t.organization.organizationId, bind("organizationId"))),
)
const all = query((db, t) => db.select().from(t.organization).orderBy(asc(t.organization.organizationId)))

function toOrganization(row: typeof organization.$inferSelect): Organization {
  return {
    organizationId: row.organizationId,
    legalName: row.legalName,
    organizationDigest: row.organizationDigest,
    tolerance: row.tolerance,
    verification: {
      method: row.verificationMethod,
      reference: row.verificationReference,
      verifiedAt: row.verifiedAt,
      validUntil: row.validUntil,
      verifiedBy: row.verifiedBy,
    },
    state: row.state,
  }
}

export function* findOrganization(organizationId: string): Unit<Organization | null> {
  const row = yield* first(byId, { organizationId })
  return row ? toOrganization(row) : null
}

export function* listOrganizations(): Unit<Organization[]> {
  return (yield* rows(all)).map(toOrganization)
}

const keyById = query((db, t) =>
  db
    .select({
      organizationId: t.mandateKey.organizationId,
      keyId: t.mandateKey.keyId,
      x: t.mandateKey.x,
      state: t.mandateKey.state,
      revokedSince: t.mandateKey.revokedSince,
    })
    .from(t.mandateKey)
    .where(and(eq(t.mandateKey.organizationId, bind("organizationId")), eq(t.mandateKey.keyId, bind("keyId")))),
)
const keysOf = query((db, t) =>
  db
    .select({
      organizationId: t.mandateKey.organizationId,
      keyId: t.mandateKey.keyId,
      x: t.mandateKey.x,
      state: t.mandateKey.state,
      revokedSince: t.mandateKey.revokedSince,
    })
    .from(t.mandateKey)
    .where(eq(t.mandateKey.organizationId, bind("organizationId")))
    .orderBy(asc(t.mandateKey.addedAt), asc(t.mandateKey.keyId)),
)
const byOwner = query((db, t) =>
  db
    .select({ organizationId: t.mandateKey.organizationId })
    .from(t.mandateKey)
    .where(eq(t.mandateKey.keyOwner, bind("keyOwner"))),
)

export function* findMandateKey(organizationId: string, keyId: string): Unit<MandateKey | null> {
  return (yield* first(keyById, { organizationId, keyId })) ?? null
}

/** Oldest first, including revoked keys. */
export function* listMandateKeys(organizationId: string): Unit<MandateKey[]> {
  return yield* rows(keysOf, { organizationId })
}

/** The organization whose mandate key has this owner's scalar (core/ed25519.ts), including revoked keys. Null when none has. */
export function* mandateKeyHolder(keyOwner: string): Unit<string | null> {
  return (yield* first(byOwner, { keyOwner }))?.organizationId ?? null
}
