/** Agent keys that may act for organizations. A delegation lives no longer than the mandate key that signed it. */
import { and, asc, eq, or } from "drizzle-orm"
import { instant } from "../../core/time.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { restoresOf, voidBefore, voidBeforeOf } from "../restores.ts"
import { isSigner } from "./signing-mandate-key.ts"

export interface Delegation {
  readonly delegationId: string
  readonly organizationId: string
  readonly agentId: string
  readonly keyId: string
  readonly scope: string[]
  readonly permittedIntents: string[]
  readonly maxPaymentAmount: string
  readonly maxTotalAmount: string | null
  readonly maxRequestsPerDay: number | null
  readonly currency: string
  readonly validFrom: string
  readonly validUntil: string
  readonly signedByKeyId: string
  readonly state: "ACTIVE" | "REVOKED"
  /** State of the mandate key that signed it. */
  readonly signerState: "ACTIVE" | "REVOKED"
}

const ofKey = query((db, t) =>
  db
    .select({
      delegationId: t.delegation.delegationId,
      organizationId: t.delegation.organizationId,
      agentId: t.delegation.agentId,
      keyId: t.delegation.keyId,
      scope: t.delegation.scope,
      permittedIntents: t.delegation.permittedIntents,
      maxPaymentAmount: t.delegation.maxPaymentAmount,
      maxTotalAmount: t.delegation.maxTotalAmount,
      maxRequestsPerDay: t.delegation.maxRequestsPerDay,
      currency: t.delegation.currency,
      validFrom: t.delegation.validFrom,
      validUntil: t.delegation.validUntil,
      signedByKeyId: t.delegation.signedByKeyId,
      state: t.delegation.state,
      recordedAt: t.delegation.recordedAt,
      signerState: t.mandateKey.state,
      restores: restoresOf(t),
    })
    .from(t.delegation)
    .innerJoin(t.mandateKey, isSigner(t))
    .where(
      and(
        eq(t.delegation.organizationId, bind("organizationId")),
        eq(t.delegation.agentId, bind("agentId")),
        eq(t.delegation.keyId, bind("keyId")),
      ),
    )
    .orderBy(asc(t.delegation.recordedAt), asc(t.delegation.delegationId)),
)

/** Every delegation of the key, oldest first. checks/delegation.ts decides which of them count. */
export function* findDelegations(organizationId: string, agentId: string, keyId: string): Unit<Delegation[]> {
  const found = yield* rows(ofKey, { organizationId, agentId, keyId })
  const before = voidBeforeOf(found[0]?.restores ?? null)
  return found.map(({ recordedAt, restores: _, ...row }) => ({
    ...row,
    state: stateAfterRestore(row.state, recordedAt, before),
    scope: JSON.parse(row.scope) as string[],
    permittedIntents: JSON.parse(row.permittedIntents) as string[],
  }))
}

/** A delegation from before a restore may have been revoked in the lost hours. */
function stateAfterRestore(
  state: "ACTIVE" | "REVOKED",
  recordedAt: string,
  before: number | null,
): "ACTIVE" | "REVOKED" {
  return before !== null && instant(recordedAt) < before ? "REVOKED" : state
}

const ofOwner = query((db, t) =>
  db
    .select({ scope: t.delegation.scope, validFrom: t.delegation.validFrom, validUntil: t.delegation.validUntil })
    .from(t.delegation)
    .innerJoin(t.mandateKey, isSigner(t))
    .where(
      and(
        eq(t.delegation.organizationId, bind("organizationId")),
        eq(t.delegation.keyOwner, bind("keyOwner")),
        eq(t.delegation.state, "ACTIVE"),
        eq(t.mandateKey.state, "ACTIVE"),
      ),
    ),
)

/** Scopes that one scalar holds for the organization, through live delegations whose window overlaps the given one. */
export function* scopesHeld(
  organizationId: string,
  keyOwner: string,
  window: { validFrom: string; validUntil: string },
): Unit<string[]> {
  const held = yield* rows(ofOwner, { organizationId, keyOwner })
  return held
    .filter(({ validFrom, validUntil }) => validFrom < window.validUntil && window.validFrom < validUntil)
    .flatMap(({ scope }) => JSON.parse(scope) as string[])
}

export interface NewDelegation extends Omit<Delegation, "state" | "signerState"> {
  readonly keyOwner: string
  readonly nonce: string
  readonly idempotencyKey: string
  /** Digest of the content that both sides signed. */
  readonly contentDigest: string
  /** The request as received, in canonical form. */
  readonly document: string
  /** Canonical bytes of the signed response. */
  readonly answer: string
  readonly recordedAt: string
}

const insert = query((db, t) =>
  db
    .insert(t.delegation)
    .values({
      delegationId: bind("delegationId"),
      organizationId: bind("organizationId"),
      agentId: bind("agentId"),
      keyId: bind("keyId"),
      keyOwner: bind("keyOwner"),
      scope: bind("scope"),
      permittedIntents: bind("permittedIntents"),
      maxPaymentAmount: bind("maxPaymentAmount"),
      maxTotalAmount: bind("maxTotalAmount"),
      maxRequestsPerDay: bind("maxRequestsPerDay"),
      currency: bind("currency"),
      validFrom: bind("validFrom"),
      validUntil: bind("validUntil"),
      nonce: bind("nonce"),
      idempotencyKey: bind("idempotencyKey"),
      contentDigest: bind("contentDigest"),
      document: bind("document"),
      answer: bind("answer"),
      signedByKeyId: bind("signedByKeyId"),
      state: "ACTIVE",
      recordedAt: bind("recordedAt"),
    })
    .onConflictDoNothing()
    .returning({ delegationId: t.delegation.delegationId }),
)

/** Returns false when the organization has used the nonce or the idempotency key before. */
export function* insertDelegation(delegation: NewDelegation): Unit<boolean> {
  const inserted = yield* first(insert, {
    ...delegation,
    scope: JSON.stringify(delegation.scope),
    permittedIntents: JSON.stringify(delegation.permittedIntents),
  })
  return inserted !== undefined
}

const earlier = query((db, t) =>
  db
    .select({
      contentDigest: t.delegation.contentDigest,
      answer: t.delegation.answer,
      recordedAt: t.delegation.recordedAt,
      state: t.delegation.state,
      signerState: t.mandateKey.state,
    })
    .from(t.delegation)
    .innerJoin(t.mandateKey, isSigner(t))
    .where(
      and(
        eq(t.delegation.organizationId, bind("organizationId")),
        or(eq(t.delegation.nonce, bind("nonce")), eq(t.delegation.idempotencyKey, bind("idempotencyKey"))),
      ),
    ),
)

export interface EarlierDelegation {
  readonly contentDigest: string
  readonly answer: string
  readonly state: "ACTIVE" | "REVOKED"
  readonly signerState: "ACTIVE" | "REVOKED"
}

/** What the organization enrolled before under this nonce or idempotency key: none, one, or two different documents. */
export function* earlierDelegations(
  organizationId: string,
  nonce: string,
  idempotencyKey: string,
): Unit<EarlierDelegation[]> {
  const found = yield* rows(earlier, { organizationId, nonce, idempotencyKey })
  const before = found.length === 0 ? null : yield* voidBefore()
  return found.map(({ recordedAt, ...row }) => ({ ...row, state: stateAfterRestore(row.state, recordedAt, before) }))
}

const owned = query((db, t) =>
  db
    .select({ delegationId: t.delegation.delegationId })
    .from(t.delegation)
    .where(eq(t.delegation.keyOwner, bind("keyOwner")))
    .limit(1),
)

/** Whether any organization ever delegated this scalar. Such a key must not become a mandate key. */
export function* wasDelegated(keyOwner: string): Unit<boolean> {
  return (yield* first(owned, { keyOwner })) !== undefined
}

const byId = query((db, t) =>
  db
    .select({ state: t.delegation.state })
    .from(t.delegation)
    .where(
      and(eq(t.delegation.organizationId, bind("organizationId")), eq(t.delegation.delegationId, bind("delegationId"))),
    ),
)
const revoke = query((db, t) =>
  db
    .update(t.delegation)
    .set({ state: "REVOKED", revokedAt: bound("at") })
    .where(
      and(
        eq(t.delegation.organizationId, bind("organizationId")),
        eq(t.delegation.delegationId, bind("delegationId")),
        eq(t.delegation.state, "ACTIVE"),
      ),
    )
    .returning({ delegationId: t.delegation.delegationId }),
)

/** Whether the organization has this delegation. A delegation of another organization counts as unknown. */
export function* hasDelegation(organizationId: string, delegationId: string): Unit<boolean> {
  return (yield* first(byId, { organizationId, delegationId })) !== undefined
}

/** Returns false when it was revoked before or belongs to another organization. */
export function* revokeDelegation(organizationId: string, delegationId: string, at: string): Unit<boolean> {
  return (yield* first(revoke, { organizationId, delegationId, at })) !== undefined
}
