/** All database reads of a verification. This is the hot path: one statement finds the signer, one finds the records. */
import { and, eq, gt, sql } from "drizzle-orm"
import { instant } from "../../core/time.ts"
import { ONE_ROW, textOrNull } from "../engine/expressions.ts"
import { bind, first, query, type Unit } from "../engine/unit.ts"
import { restoresOf, voidBeforeOf } from "../restores.ts"
import { isStatusUnknown } from "./paused-agents.ts"

/** An agent, and one key it has or had. */
export interface NamedSigner {
  readonly identityStatus: "ACTIVE" | "REVOKED"
  readonly headEventDigest: string
  /** Its newest event is from before a restore, so a later one may be lost. */
  readonly isUnknown: boolean
  /** Null when this agent never had that key. */
  readonly key: {
    readonly x: string
    readonly role: "OPERATIONAL" | "RECOVERY"
    readonly status: "ACTIVE" | "ROTATED" | "REVOKED"
    readonly since: string
    readonly until: string | null
    readonly compromisedSince: string | null
  } | null
}

export interface StatementRecords {
  /** Of the live record of this nonce. */
  readonly recordId: string | null
  /** When the statement was registered. */
  readonly registeredAt: string | null
}

export const NOTHING_RECORDED: StatementRecords = { recordId: null, registeredAt: null }

const signer = query((db, t) =>
  db
    .select({
      identityStatus: t.agent.identityStatus,
      headEventDigest: t.agent.headEventDigest,
      headAcceptedAt: t.agent.headAcceptedAt,
      restores: restoresOf(t),
      x: t.agentKey.x,
      role: t.agentKey.role,
      status: t.agentKey.status,
      since: t.agentKey.since,
      until: t.agentKey.until,
      compromisedSince: t.agentKey.compromisedSince,
    })
    .from(t.agent)
    .leftJoin(t.agentKey, and(eq(t.agentKey.keyId, bind("keyId")), eq(t.agentKey.agentId, t.agent.agentId)))
    .where(eq(t.agent.agentId, bind("agentId"))),
)

function isBeforeRestore(at: string, restores: string | null): boolean {
  const before = voidBeforeOf(restores)
  return before !== null && instant(at) < before
}

/** Null for an unknown agent. A key of another agent is not found, so that nobody learns its owner from the key id. */
export function* findSigner(agentId: string, keyId: string): Unit<NamedSigner | null> {
  const row = yield* first(signer, { agentId, keyId })
  if (!row) return null
  const { identityStatus, headEventDigest, headAcceptedAt, restores, x, role, status, since, until, compromisedSince } =
    row
  const key =
    x !== null && role !== null && status !== null && since !== null
      ? { x, role, status, since, until, compromisedSince }
      : null
  const isOlder = isBeforeRestore(headAcceptedAt, restores)
  return {
    identityStatus,
    headEventDigest,
    isUnknown: isOlder && (yield* isStatusUnknown({ agentId, headAcceptedAt })),
    key,
  }
}

/** Always returns a row: each column is a separate look-up with no value or one. */
const records = query((db, t) => {
  const nonce = db
    .select({ recordId: t.signatureNonce.recordId })
    .from(t.signatureNonce)
    .where(and(eq(t.signatureNonce.nonceDigest, bind("nonceDigest")), gt(t.signatureNonce.expiresAt, bind("at"))))
  const registration = db
    .select({ registeredAt: t.artifactRegistration.registeredAt })
    .from(t.artifactRegistration)
    .where(eq(t.artifactRegistration.statementDigest, bind("statementDigest")))
  return db
    .select({ recordId: textOrNull(sql`(${nonce})`), registeredAt: textOrNull(sql`(${registration})`) })
    .from(ONE_ROW)
})

export function* findRecords(statement: {
  readonly nonceDigest: string
  readonly statementDigest: string
  readonly at: string
}): Unit<StatementRecords> {
  return (yield* first(records, statement)) ?? NOTHING_RECORDED
}
