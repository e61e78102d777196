/** Everything a verification asks of the database, on one consistent view and in one statement: it is the hot path. */
import { and, eq, gt } from "drizzle-orm"
import { bind, first, query, type Unit } from "./unit.ts"

export interface SignatureFacts {
  readonly identityStatus: "ACTIVE" | "REVOKED"
  readonly headEventDigest: string
  /** null: this agent never had that key. */
  readonly key: {
    readonly x: string
    readonly role: "OPERATIONAL" | "RECOVERY"
    readonly status: "ACTIVE" | "ROTATED" | "REVOKED"
    readonly since: string
    readonly until: string | null
    readonly compromisedSince: string | null
  } | null
  /** Of the live record of this nonce. */
  readonly recordId: string | null
  /** When the statement was registered. */
  readonly registeredAt: string | null
}

export interface SignatureQuestion {
  readonly agentId: string
  readonly keyId: string
  /** Empty when there is no statement: nothing is found then. */
  readonly nonceDigest: string
  readonly statementDigest: string
  readonly at: string
}

const byAgent = query((db, t) =>
  db
    .select({
      identityStatus: t.agent.identityStatus,
      headEventDigest: t.agent.headEventDigest,
      x: t.agentKey.x,
      role: t.agentKey.role,
      status: t.agentKey.status,
      since: t.agentKey.since,
      until: t.agentKey.until,
      compromisedSince: t.agentKey.compromisedSince,
      recordId: t.signatureNonce.recordId,
      registeredAt: t.artifactRegistration.registeredAt,
    })
    .from(t.agent)
    .leftJoin(t.agentKey, and(eq(t.agentKey.keyId, bind("keyId")), eq(t.agentKey.agentId, t.agent.agentId)))
    .leftJoin(
      t.signatureNonce,
      and(eq(t.signatureNonce.nonceDigest, bind("nonceDigest")), gt(t.signatureNonce.expiresAt, bind("at"))),
    )
    .leftJoin(t.artifactRegistration, eq(t.artifactRegistration.statementDigest, bind("statementDigest")))
    .where(eq(t.agent.agentId, bind("agentId"))),
)

/** null: no such agent. A key of another agent is not found: nobody learns by its id whose it is. */
export function* signatureFacts(asked: SignatureQuestion): Unit<SignatureFacts | null> {
  const row = yield* first(byAgent, { ...asked })
  if (!row) return null
  const { identityStatus, headEventDigest, recordId, registeredAt, x, role, status, since, until, compromisedSince } =
    row
  const key =
    x !== null && role !== null && status !== null && since !== null
      ? { x, role, status, since, until, compromisedSince }
      : null
  return { identityStatus, headEventDigest, key, recordId, registeredAt }
}
