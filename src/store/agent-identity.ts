/** Identities, their keys and their events. An event, its keys and the consumed challenge are written in one unit or not at all. */
import { and, eq, lt, sql } from "drizzle-orm"
import { type AgentChallenge, challengeById } from "./agent-challenge.ts"
import { bind, bound, first, query, rows, type Unit } from "./unit.ts"

export interface AgentKey {
  agentId: string
  keyId: string
  role: "OPERATIONAL" | "RECOVERY"
  x: string
  status: "ACTIVE" | "ROTATED" | "REVOKED"
  /** RFC 3339 instants; `until` is null while the key is ACTIVE. */
  since: string
  until: string | null
  successorKeyId: string | null
}

/** An identity with all keys it ever had, oldest first, OPERATIONAL before RECOVERY. */
export interface Identity {
  readonly agentId: string
  readonly identityStatus: "ACTIVE" | "REVOKED"
  readonly sequence: number
  readonly headEventDigest: string
  readonly headAcceptedAt: string
  readonly keys: readonly AgentKey[]
}

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
      successorKeyId: t.agentKey.successorKeyId,
      identityStatus: t.agent.identityStatus,
    })
    .from(t.agentKey)
    .innerJoin(t.agent, eq(t.agent.agentId, t.agentKey.agentId))
    .where(and(eq(t.agentKey.keyId, bind("keyId")), eq(t.agentKey.agentId, bind("agentId")))),
)

const activeOperational = query((db, t) =>
  db
    .select()
    .from(t.agentKey)
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

const keyOfOwner = query((db, t) =>
  db
    .select({ keyId: t.agentKey.keyId })
    .from(t.agentKey)
    .where(eq(t.agentKey.scalarOwner, bind("scalarOwner"))),
)

const consume = query((db, t) =>
  db
    .update(t.agentChallenge)
    .set({ state: "CONSUMED", client: null, proofDigest: bound("proofDigest"), resultJson: bound("resultJson") })
    .where(
      and(
        eq(t.agentChallenge.challengeId, bind("challengeId")),
        eq(t.agentChallenge.state, sql`'ISSUED'`),
        sql`${t.agentChallenge.expiresAt} > ${bind("at")}`,
      ),
    )
    .returning({ challengeId: t.agentChallenge.challengeId }),
)

const insertAgent = query((db, t) =>
  db
    .insert(t.agent)
    .values({
      agentId: bind("agentId"),
      identityStatus: "ACTIVE",
      sequence: 0,
      headEventDigest: bind("eventDigest"),
      headAcceptedAt: bind("acceptedAt"),
    })
    .returning({ agentId: t.agent.agentId }),
)

const insertKey = query((db, t) =>
  db
    .insert(t.agentKey)
    .values({
      keyId: bind("keyId"),
      agentId: bind("agentId"),
      role: bind("role"),
      x: bind("x"),
      scalarOwner: bind("scalarOwner"),
      status: "ACTIVE",
      since: bind("acceptedAt"),
    })
    .returning({ keyId: t.agentKey.keyId }),
)

const insertEvent = query((db, t) =>
  db
    .insert(t.agentEvent)
    .values({
      agentId: bind("agentId"),
      sequence: 0,
      eventDigest: bind("eventDigest"),
      challengeId: bind("challengeId"),
      eventJson: bind("eventJson"),
      signaturesJson: bind("signaturesJson"),
      receiptJson: bind("receiptJson"),
      acceptedAt: bind("acceptedAt"),
    })
    .returning({ agentId: t.agentEvent.agentId }),
)

const purgeDays = query((db, t) =>
  db
    .delete(t.agentEnrolmentCount)
    .where(lt(t.agentEnrolmentCount.day, bind("day")))
    .returning({ day: t.agentEnrolmentCount.day }),
)

/** Changes no row when the day's enrolments are used up. */
const countEnrolment = query((db, t) =>
  db
    .insert(t.agentEnrolmentCount)
    .values({ day: bind("day"), client: bind("client"), enrolments: 1 })
    .onConflictDoUpdate({
      target: [t.agentEnrolmentCount.day, t.agentEnrolmentCount.client],
      set: { enrolments: sql`${t.agentEnrolmentCount.enrolments} + 1` },
      setWhere: sql`${t.agentEnrolmentCount.enrolments} < ${bind("enrolmentsMax")}`,
    })
    .returning({ enrolments: t.agentEnrolmentCount.enrolments }),
)

/** The key when it belongs, or ever belonged, to that agent. */
export function* findAgentKey(
  agentId: string,
  keyId: string,
): Unit<(AgentKey & { identityStatus: "ACTIVE" | "REVOKED" }) | null> {
  return (yield* first(keyWithIdentity, { agentId, keyId })) ?? null
}

/** Null for an unknown agent, and for one whose operational key is revoked without a successor. */
export function* findActiveOperationalKey(agentId: string): Unit<AgentKey | null> {
  const row = yield* first(activeOperational, { agentId })
  return row ? agentKey(row) : null
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

export interface NewKey {
  readonly keyId: string
  readonly role: "OPERATIONAL" | "RECOVERY"
  readonly x: string
  /** `x` with its sign bit cleared. */
  readonly scalarOwner: string
}

export interface Enrolment {
  readonly challengeId: string
  readonly proofDigest: string
  readonly resultJson: string
  readonly agentId: string
  readonly eventDigest: string
  readonly eventJson: string
  readonly signaturesJson: string
  readonly receiptJson: string
  /** RFC 3339; also the instant the challenge's expiry is judged by. */
  readonly acceptedAt: string
  readonly keys: readonly NewKey[]
  readonly client: string
  readonly enrolmentsPerDayMax: number
}

export type EnrolmentOutcome =
  | { readonly kind: "ENROLLED" }
  /** The challenge is not open any more (or gone): judge its row again. */
  | { readonly kind: "NOT_OPEN"; readonly challenge: AgentChallenge | null }
  | { readonly kind: "KEY_ALREADY_ENROLLED"; readonly role: "OPERATIONAL" | "RECOVERY" }
  | { readonly kind: "DAILY_LIMIT" }

/**
 * Consumes the challenge and writes identity, keys and event together. Every check that can refuse comes before the first
 * write but the day's count, because a unit that returns has committed what it wrote.
 */
export function* acceptEnrolment(enrolment: Enrolment): Unit<EnrolmentOutcome> {
  const { keys, client, enrolmentsPerDayMax, ...event } = enrolment
  const challenge = yield* challengeById(event.challengeId)
  if (challenge?.state !== "ISSUED" || challenge.expiresAt <= event.acceptedAt) return { kind: "NOT_OPEN", challenge }
  for (const { role, scalarOwner } of keys) {
    if (yield* first(keyOfOwner, { scalarOwner })) return { kind: "KEY_ALREADY_ENROLLED", role }
  }
  const day = event.acceptedAt.slice(0, 10)
  yield* rows(purgeDays, { day })
  if (!(yield* first(countEnrolment, { day, client, enrolmentsMax: enrolmentsPerDayMax })))
    return { kind: "DAILY_LIMIT" }
  yield* written(consume, { ...event, at: event.acceptedAt })
  yield* written(insertAgent, event)
  for (const key of keys) yield* written(insertKey, { ...event, ...key })
  yield* written(insertEvent, event)
  return { kind: "ENROLLED" }
}

/** A write the checks above have made certain; a throw rolls the whole unit back. */
function* written<Row>(statement: ReturnType<typeof query<Row>>, values: Record<string, string | null>): Unit<void> {
  if (!(yield* first(statement, values))) throw new Error("an enrolment write changed no row")
}
