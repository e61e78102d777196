/** Buyer organizations as the operator's command line writes them. No route writes here. */
import { and, eq, gt, or } from "drizzle-orm"
import { type Confirmation, mandateKeySubject, recordConfirmation } from "../confirmations.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
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
/** A public key that passed the key check, with its owner (core/ed25519.ts). */
export interface NewMandateKey {
  readonly keyId: string
  readonly x: string
  readonly keyOwner: string
}

/** Returns false and writes nothing when the id is taken, or when one of the keys or its negation is in use. */
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

/** Adds a mandate key, so that an organization can replace one before or after its loss. */
export function* addMandateKey(
  organizationId: string,
  key: NewMandateKey,
  at: string,
): Unit<"ADDED" | "ORGANIZATION_UNKNOWN" | "KEY_TAKEN"> {
  const organization = yield* findOrganization(organizationId)
  if (organization === null || organization.state === "REVOKED") return "ORGANIZATION_UNKNOWN"
  if (yield* isTaken(key.keyOwner)) return "KEY_TAKEN"
  yield* rows(insertKey, { organizationId, ...key, at })
  return "ADDED"
}

/** A mandate key signs for one organization and is never also an agent's delegated key, so that one theft cannot yield both signatures. */
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

/** Records a new verification of the organization. Returns false when it is unknown or revoked. */
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

/** Final. The organization's keys may still revoke delegations and mandates, because that only reduces permissions. */
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

/** The instants are RFC 3339. */
interface KeyRevocation {
  readonly organizationId: string
  readonly keyId: string
  /** When the key may have come into other hands. */
  readonly since: string
  readonly reason: string
  readonly at: string
}

/**
 * Revokes a mandate key. This ends every delegation and mandate that it signed, whenever it signed them. Destinations that it authorized
 * since `since` do not count. A later call may move `since` to an earlier instant, never to a later one.
 */
export function* revokeMandateKey(revocation: KeyRevocation): Unit<"REVOKED" | "ALREADY_REVOKED" | "KEY_UNKNOWN"> {
  const { organizationId, keyId, since, reason, at } = revocation
  if (yield* first(revokeKey, { organizationId, keyId, since, reason, at })) return "REVOKED"
  return (yield* findMandateKey(organizationId, keyId)) ? "ALREADY_REVOKED" : "KEY_UNKNOWN"
}

interface BuyerConfirmation extends Pick<Confirmation, "author" | "reason"> {
  readonly organizationId: string
  /** The keys that were not revoked. The others stay paused. */
  readonly keyIds: readonly string[]
  /** RFC 3339. */
  readonly at: string
}

/** After a restore: the organization and these keys count again. Writes nothing unless every one of them is unrevoked. */
export function* confirmBuyer({
  organizationId,
  keyIds,
  at,
  author,
  reason,
}: BuyerConfirmation): Unit<"CONFIRMED" | "ORGANIZATION_UNKNOWN" | "KEY_UNKNOWN" | "NOT_PAUSED"> {
  const organization = yield* findOrganization(organizationId)
  if (organization === null || organization.state === "REVOKED") return "ORGANIZATION_UNKNOWN"
  const states = [organization.state]
  for (const keyId of keyIds) {
    const key = yield* findMandateKey(organizationId, keyId)
    if (key === null || key.state === "REVOKED") return "KEY_UNKNOWN"
    states.push(key.state)
  }
  if (!states.includes("PAUSED")) return "NOT_PAUSED"
  const confirmation = { confirmedAt: at, author, reason }
  yield* recordConfirmation({ kind: "ORGANIZATION", subject: organizationId, ...confirmation })
  for (const keyId of keyIds) {
    yield* recordConfirmation({
      kind: "MANDATE_KEY",
      subject: mandateKeySubject(organizationId, keyId),
      ...confirmation,
    })
  }
  return "CONFIRMED"
}
