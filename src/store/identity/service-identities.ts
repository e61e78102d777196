/** The Agent IDs of the service itself, one for each key use. The enrolment writes the row, which never changes. */
import { and, asc, eq, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { sequenceAll } from "../log/sequenced-log.ts"
import { findIdentity } from "./agent-identity.ts"
import { type KeyEventRecord, recordKeyEvent } from "./key-event-record.ts"
import { activateKey, findActiveServiceKey, KEY_USES, type KeyUse, revokeKey, type ServiceKey } from "./service-keys.ts"

interface ServiceIdentity {
  readonly use: KeyUse
  readonly agentId: string
}

const all = query((db, t) => db.select().from(t.serviceIdentity).orderBy(asc(t.serviceIdentity.use)))
const insert = query((db, t) =>
  db
    .insert(t.serviceIdentity)
    .values({ use: bind("use"), agentId: bind("agentId") })
    .returning({ use: t.serviceIdentity.use }),
)

const firstAudience = query((db, t, words) =>
  db
    .select({ audience: words.jsonText(t.agentEvent.eventJson, "audience") })
    .from(t.agentEvent)
    .where(and(eq(t.agentEvent.agentId, bind("agentId")), eq(t.agentEvent.sequence, sql`0`))),
)

/** Audience of an identity's enrolment; null for an unknown id. */
export function* enrolledAudience(agentId: string): Unit<string | null> {
  return (yield* first(firstAudience, { agentId }))?.audience ?? null
}

export function* serviceIdentities(): Unit<readonly ServiceIdentity[]> {
  return yield* rows(all)
}

/** The Agent ID whose key signs statements. Every data directory has one before it serves. */
export function* statementAgentId(): Unit<string> {
  return yield* agentIdOf("statement")
}

/** The Agent ID whose key signs the documents of the sandbox. */
export function* sandboxAgentId(): Unit<string> {
  return yield* agentIdOf("sandbox")
}

function* agentIdOf(use: KeyUse): Unit<string> {
  const identity = (yield* serviceIdentities()).find((one) => one.use === use)
  if (!identity) throw new Error(`no identity signs for the use ${use}`)
  return identity.agentId
}

export function* isServiceIdentity(agentId: string): Unit<boolean> {
  return (yield* serviceIdentities()).some((identity) => identity.agentId === agentId)
}

/** A key use with its identity and key. Both are null only in a data directory of an earlier release. */
export interface KeyOfUse {
  readonly use: KeyUse
  readonly agentId: string | null
  readonly active: ServiceKey | null
}

export function* keysOfUses(): Unit<readonly KeyOfUse[]> {
  const identities = yield* serviceIdentities()
  const found: KeyOfUse[] = []
  for (const use of KEY_USES) {
    const agentId = identities.find((identity) => identity.use === use)?.agentId ?? null
    found.push({ use, agentId, active: yield* findActiveServiceKey(use) })
  }
  return found
}

type OwnEvent = KeyEventRecord<{ readonly receiptJson: string }>

interface ServiceEnrolment {
  readonly event: OwnEvent
  readonly use: KeyUse
  readonly key: ServiceKey
  /** False for the key with which an older data directory already signs. */
  readonly isNew: boolean
}

/** Writes all or nothing. Returns false when one of the uses already has an identity or another key. */
export function* enrolServiceIdentities(enrolments: readonly ServiceEnrolment[]): Unit<boolean> {
  const known = yield* keysOfUses()
  const stands = ({ use, key, isNew }: ServiceEnrolment) => {
    const of = known.find((one) => one.use === use)
    return of?.agentId === null && (of.active?.keyId ?? null) === (isNew ? null : key.keyId)
  }
  if (!enrolments.every(stands)) return false
  for (const enrolment of enrolments) {
    if (enrolment.isNew) yield* activateKey(enrolment.key)
    yield* recordKeyEvent(enrolment.event)
    yield* rows(insert, { use: enrolment.use, agentId: enrolment.event.after.agentId })
  }
  return true
}

interface ServiceKeyReplacement {
  readonly event: OwnEvent
  /** Key id of the ACTIVE key that is replaced. */
  readonly before: string
  readonly active: ServiceKey
  /** RFC 3339 when the replaced key is revoked. */
  readonly revokedSince: string | null
}

/** Writes the event and its effect on the keys. Returns false and changes nothing when another event or key came first. */
export function* replaceServiceKey(replacement: ServiceKeyReplacement): Unit<boolean> {
  const { before, active, revokedSince, event } = replacement
  if ((yield* findActiveServiceKey(active.use))?.keyId !== before) return false
  const identity = yield* findIdentity(event.after.agentId)
  if (identity?.headEventDigest !== event.before?.headEventDigest) return false
  // The leaf of the event says when the key was revoked.
  if (revokedSince !== null) yield* sequenceAll()
  yield* recordKeyEvent(event)
  yield* activateKey(active)
  if (revokedSince !== null) yield* revokeKey(before, revokedSince)
  return true
}
