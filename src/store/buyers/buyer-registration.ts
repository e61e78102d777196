/** What the operator's command line writes about buyer organizations. No route writes here. */
import { and, eq, gt, or } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../unit.ts"
import { findMandateKey, findOrganization, mandateKeyHolder, type Organization } from "./buyers.ts"
import { wasDelegated } from "./delegations.ts"

const insert = query((db, t) =>
  db
    .insert(t.organization)
    .values({
      organizationId: bind("organizationId"),
      legalName: bind("legalName"),
      organizationDigest: bind("organizationDigest"),
      tolerance: bind("tolerance"),
      verificationMethod: bind("method"),
      verificationReference: bind("reference"),
      verifiedAt: bind("verifiedAt"),
      validUntil: bind("validUntil"),
      verifiedBy: bind("verifiedBy"),
      state: "ACTIVE",
      addedAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ organizationId: t.organization.organizationId }),
)
const insertKey = query((db, t) =>
  db
    .insert(t.mandateKey)
    .values({
      organizationId: bind("organizationId"),
      keyId: bind("keyId"),
      x: bind("x"),
      keyOwner: bind("keyOwner"),
      state: "ACTIVE",
      addedAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ keyId: t.mandateKey.keyId }),
)
/** A public key that has passed the key check, with its owner (core/ed25519.ts). */
export interface NewMandateKey {
  readonly keyId: string
  readonly x: string
  readonly keyOwner: string
}

/** False when the id is taken or one of the keys, or its negation, is in use; then nothing is written. */
export function* addOrganization(
  { verification, ...organization }: Omit<Organization, "state">,
  keys: readonly NewMandateKey[],
  at: string,
): Unit<"ADDED" | "ORGANIZATION_EXISTS" | "KEY_TAKEN"> {
  if (yield* findOrganization(organization.organizationId)) return "ORGANIZATION_EXISTS"
  if (new Set(keys.map(({ keyOwner }) => keyOwner)).size < keys.length) return "KEY_TAKEN"
  for (const { keyOwner } of keys) if (yield* isTaken(keyOwner)) return "KEY_TAKEN"
  yield* rows(insert, { ...organization, ...verification, at })
  for (const key of keys) yield* rows(insertKey, { organizationId: organization.organizationId, ...key, at })
  return "ADDED"
}

/** A further mandate key, so that an organization can replace one before or after it is lost. */
export function* addMandateKey(
  organizationId: string,
  key: NewMandateKey,
  at: string,
): Unit<"ADDED" | "ORGANIZATION_UNKNOWN" | "KEY_TAKEN"> {
  const organization = yield* findOrganization(organizationId)
  if (organization?.state !== "ACTIVE") return "ORGANIZATION_UNKNOWN"
  if (yield* isTaken(key.keyOwner)) return "KEY_TAKEN"
  yield* rows(insertKey, { organizationId, ...key, at })
  return "ADDED"
}

/** A mandate key signs for one organization and is never also an agent's delegated key: one theft must not yield both signatures. */
function* isTaken(keyOwner: string): Unit<boolean> {
  return (yield* mandateKeyHolder(keyOwner)) !== null || (yield* wasDelegated(keyOwner))
}

const renew = query((db, t) =>
  db
    .update(t.organization)
    .set({
      verificationMethod: bound("method"),
      verificationReference: bound("reference"),
      verifiedAt: bound("verifiedAt"),
      validUntil: bound("validUntil"),
      verifiedBy: bound("verifiedBy"),
    })
    .where(and(eq(t.organization.organizationId, bind("organizationId")), eq(t.organization.state, "ACTIVE")))
    .returning({ organizationId: t.organization.organizationId }),
)

/** The organization was verified again. False when it is unknown or revoked. */
export function* renewVerification(organizationId: string, verification: Organization["verification"]): Unit<boolean> {
  return (yield* first(renew, { organizationId, ...verification })) !== undefined
}

const revoke = query((db, t) =>
  db
    .update(t.organization)
    .set({ state: "REVOKED", revokedAt: bound("at"), revocationReason: bound("reason") })
    .where(and(eq(t.organization.organizationId, bind("organizationId")), eq(t.organization.state, "ACTIVE")))
    .returning({ organizationId: t.organization.organizationId }),
)

/** Final. The organization's keys may still take delegations and mandates back: that only lessens what can be done. */
export function* revokeOrganization(
  organizationId: string,
  reason: string,
  at: string,
): Unit<"REVOKED" | "ALREADY_REVOKED" | "ORGANIZATION_UNKNOWN"> {
  if (yield* first(revoke, { organizationId, reason, at })) return "REVOKED"
  return (yield* findOrganization(organizationId)) ? "ALREADY_REVOKED" : "ORGANIZATION_UNKNOWN"
}

const revokeKey = query((db, t) =>
  db
    .update(t.mandateKey)
    .set({
      state: "REVOKED",
      revokedAt: bound("at"),
      revokedSince: bound("since"),
      revocationReason: bound("reason"),
    })
    .where(
      and(
        eq(t.mandateKey.organizationId, bind("organizationId")),
        eq(t.mandateKey.keyId, bind("keyId")),
        or(eq(t.mandateKey.state, "ACTIVE"), gt(t.mandateKey.revokedSince, bind("since"))),
      ),
    )
    .returning({ keyId: t.mandateKey.keyId }),
)

/**
 * Ends a mandate key: every delegation and mandate it signed dies with it, whenever it was signed; destinations it authorized
 * since `since` no longer count. `since` may be moved to an earlier instant when more becomes known, never to a later one.
 */
export function* revokeMandateKey(
  organizationId: string,
  keyId: string,
  since: string,
  reason: string,
  at: string,
): Unit<"REVOKED" | "ALREADY_REVOKED" | "KEY_UNKNOWN"> {
  if (yield* first(revokeKey, { organizationId, keyId, since, reason, at })) return "REVOKED"
  return (yield* findMandateKey(organizationId, keyId)) ? "ALREADY_REVOKED" : "KEY_UNKNOWN"
}
