/** Reads identities. agent-key-change.ts writes them. */

import { and, eq, sql } from "drizzle-orm"
import type { IdentityState, KeyState } from "../../core/identity-state.ts"
import { isPausedSince } from "../confirmations.ts"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { restoresOf, voidBeforeOf } from "../restores.ts"
import { isStatusUnknown } from "./paused-agents.ts"

export interface AgentKey extends KeyState {
  readonly agentId: string
}

/** An identity with all keys it ever had, oldest first, OPERATIONAL before RECOVERY. */
export interface Identity extends IdentityState {
  readonly keys: readonly AgentKey[]
}

const head = query((db, t) =>
  db
    .select({ headEventDigest: t.agent.headEventDigest })
    .from(t.agent)
    .where(eq(t.agent.agentId, bind("agentId"))),
)

const keyWithIdentity = query((db, t) =>
  db
    .select({
      agentId: t.agentKey.agentId,
      keyId: t.agentKey.keyId,
      role: t.agentKey.role,
      x: t.agentKey.x,
      status: t.agentKey.status,
      since: t.agentKey.since,
      until: t.agentKey.until,
      compromisedSince: t.agentKey.compromisedSince,
      successorKeyId: t.agentKey.successorKeyId,
      identityStatus: t.agent.identityStatus,
      headAcceptedAt: t.agent.headAcceptedAt,
      restores: restoresOf(t),
    })
    .from(t.agentKey)
    .innerJoin(t.agent, eq(t.agent.agentId, t.agentKey.agentId))
    .where(and(eq(t.agentKey.keyId, bind("keyId")), eq(t.agentKey.agentId, bind("agentId")))),
)

const activeOperational = query((db, t) =>
  db
    .select({ key: t.agentKey, headAcceptedAt: t.agent.headAcceptedAt })
    .from(t.agentKey)
    .innerJoin(t.agent, eq(t.agent.agentId, t.agentKey.agentId))
    .where(
      and(
        eq(t.agentKey.agentId, bind("agentId")),
        eq(t.agentKey.role, sql`'OPERATIONAL'`),
        eq(t.agentKey.status, sql`'ACTIVE'`),
      ),
    ),
)

const identityWithKeys = query((db, t) =>
  db
    .select({ agent: t.agent, key: t.agentKey })
    .from(t.agent)
    .innerJoin(t.agentKey, eq(t.agentKey.agentId, t.agent.agentId))
    .where(eq(t.agent.agentId, bind("agentId")))
    .orderBy(t.agentKey.since, t.agentKey.role, t.agentKey.keyId),
)

/** Digest of the newest event; null for an unknown agent. */
export function* headDigestOf(agentId: string): Unit<string | null> {
  return (yield* first(head, { agentId }))?.headEventDigest ?? null
}

/** UNKNOWN: the newest event is from before a restore, so a later one may be lost. */
type CurrentStatus = IdentityState["identityStatus"] | "UNKNOWN"

export type NamedAgentKey = AgentKey & { readonly identityStatus: CurrentStatus }

/** The key, if it belongs or ever belonged to that agent. */
export function* findAgentKey(agentId: string, keyId: string): Unit<NamedAgentKey | null> {
  const row = yield* first(keyWithIdentity, { agentId, keyId })
  if (!row) return null
  const { headAcceptedAt: createdAt, restores, ...key } = row
  const before = voidBeforeOf(restores)
  const isUnknown =
    key.identityStatus === "ACTIVE" && (yield* isPausedSince(before, "AGENT", { subject: agentId, createdAt }))
  return isUnknown ? { ...key, identityStatus: "UNKNOWN" } : key
}

/** Null for an unknown agent, for one of status UNKNOWN, and for one whose operational key is revoked without a successor. */
export function* findActiveOperationalKey(agentId: string): Unit<AgentKey | null> {
  const row = yield* first(activeOperational, { agentId })
  return row && !(yield* isStatusUnknown({ agentId, headAcceptedAt: row.headAcceptedAt })) ? agentKey(row.key) : null
}

export function* findIdentity(agentId: string): Unit<Identity | null> {
  const found = yield* rows(identityWithKeys, { agentId })
  const [head] = found
  return head ? { ...head.agent, keys: found.map(({ key }) => agentKey(key)) } : null
}

function agentKey(row: AgentKey & { scalarOwner: string }): AgentKey {
  const { scalarOwner: _, ...key } = row
  return key
}
