/** Buyer organizations and their signing keys, as the routes read them. buyer-registration.ts writes them. */
import { and, asc, eq, getTableColumns } from "drizzle-orm"
import type { organization } from "../../../db/tables/buyers.ts"
import { isPausedSince, mandateKeySubject } from "../confirmations.ts"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { restoresOf, voidBefore, voidBeforeOf } from "../restores.ts"

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
  /** PAUSED: a restore brought it back, and nobody confirmed yet that it was not revoked since the backup. */
  readonly state: "ACTIVE" | "PAUSED" | "REVOKED"
}

export interface MandateKey {
  readonly organizationId: string
  readonly keyId: string
  readonly x: string
  /** PAUSED as in {@link Organization}. */
  readonly state: "ACTIVE" | "PAUSED" | "REVOKED"
  /** Since when the key counts as lost; null unless it is REVOKED. */
  readonly revokedSince: string | null
}

const byId = query((db, t) =>
  db
    .select({ ...getTableColumns(t.organization), restores: restoresOf(t) })
    .from(t.organization)
    .where(eq(t.organization.organizationId, bind("organizationId"))),
)
const all = query((db, t) => db.select().from(t.organization).orderBy(asc(t.organization.organizationId)))

/** `before`: `voidBefore` of the restores. */
function* toOrganization(row: typeof organization.$inferSelect, before: number | null): Unit<Organization> {
  const { organizationId: subject, addedAt: createdAt } = row
  const isPaused = row.state === "ACTIVE" && (yield* isPausedSince(before, "ORGANIZATION", { subject, createdAt }))
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
    state: isPaused ? "PAUSED" : row.state,
  }
}

export function* findOrganization(organizationId: string): Unit<Organization | null> {
  const row = yield* first(byId, { organizationId })
  return row ? yield* toOrganization(row, voidBeforeOf(row.restores)) : null
}

export function* listOrganizations(): Unit<Organization[]> {
  const organizations: Organization[] = []
  const before = yield* voidBefore()
  for (const row of yield* rows(all)) organizations.push(yield* toOrganization(row, before))
  return organizations
}

const keyById = query((db, t) =>
  db
    .select({
      organizationId: t.mandateKey.organizationId,
      keyId: t.mandateKey.keyId,
      x: t.mandateKey.x,
      state: t.mandateKey.state,
      revokedSince: t.mandateKey.revokedSince,
      addedAt: t.mandateKey.addedAt,
      restores: restoresOf(t),
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
      addedAt: t.mandateKey.addedAt,
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
  const row = yield* first(keyById, { organizationId, keyId })
  if (!row) return null
  const { restores, ...key } = row
  return yield* toMandateKey(key, voidBeforeOf(restores))
}

function* toMandateKey({ addedAt, ...key }: StoredKey, before: number | null): Unit<MandateKey> {
  const subject = mandateKeySubject(key.organizationId, key.keyId)
  const isPaused =
    key.state === "ACTIVE" && (yield* isPausedSince(before, "MANDATE_KEY", { subject, createdAt: addedAt }))
  return isPaused ? { ...key, state: "PAUSED" } : key
}

type StoredKey = Omit<MandateKey, "state"> & { readonly state: "ACTIVE" | "REVOKED"; readonly addedAt: string }

/** Oldest first, including revoked keys. */
export function* listMandateKeys(organizationId: string): Unit<MandateKey[]> {
  const keys: MandateKey[] = []
  const before = yield* voidBefore()
  for (const row of yield* rows(keysOf, { organizationId })) keys.push(yield* toMandateKey(row, before))
  return keys
}

/** The organization whose mandate key has this owner's scalar (core/ed25519.ts), including revoked keys. Null when none has. */
export function* mandateKeyHolder(keyOwner: string): Unit<string | null> {
  return (yield* first(byOwner, { keyOwner }))?.organizationId ?? null
}
