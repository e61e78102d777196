/** Writes a key event: the identity's head, its keys, the event and its leaf in the log, in one unit. */

import { and, eq } from "drizzle-orm"
import type { IdentityState, KeyState } from "../../core/identity-state.ts"
import { keyOwner } from "../../core/key-owner.ts"
import { bind, bound, first, type Query, query, type Unit, type Values } from "../engine/unit.ts"
import { appendKeyEvent } from "../log/transparency-log.ts"

const insertAgent = query((db, t) =>
  db
    .insert(t.agent)
    .values({
      agentId: bind("agentId"),
      identityStatus: "ACTIVE",
      sequence: 0,
      headEventDigest: bind("eventDigest"),
      headAcceptedAt: bind("acceptedAt"),
      nextOperationalKeyDigest: bind("nextOperationalKeyDigest"),
    })
    .returning({ agentId: t.agent.agentId }),
)

/** Changes no row when another event has moved the head. */
const moveHead = query((db, t) =>
  db
    .update(t.agent)
    .set({
      identityStatus: bound("identityStatus"),
      sequence: bound("sequence"),
      headEventDigest: bound("eventDigest"),
      headAcceptedAt: bound("acceptedAt"),
      nextOperationalKeyDigest: bound("nextOperationalKeyDigest"),
      lastRoutineRotationAt: bound("lastRoutineRotationAt"),
    })
    .where(and(eq(t.agent.agentId, bind("agentId")), eq(t.agent.headEventDigest, bind("previousEventDigest"))))
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
      since: bind("since"),
    })
    .returning({ keyId: t.agentKey.keyId }),
)

const updateKey = query((db, t) =>
  db
    .update(t.agentKey)
    .set({
      status: bound("status"),
      until: bound("until"),
      compromisedSince: bound("compromisedSince"),
      successorKeyId: bound("successorKeyId"),
    })
    .where(and(eq(t.agentKey.keyId, bind("keyId")), eq(t.agentKey.agentId, bind("agentId"))))
    .returning({ keyId: t.agentKey.keyId }),
)

const insertEvent = query((db, t) =>
  db
    .insert(t.agentEvent)
    .values({
      agentId: bind("agentId"),
      sequence: bind("sequence"),
      eventDigest: bind("eventDigest"),
      challengeId: bind("challengeId"),
      eventJson: bind("eventJson"),
      signaturesJson: bind("signaturesJson"),
      receiptJson: bind("receiptJson"),
      acceptedAt: bind("acceptedAt"),
    })
    .returning({ agentId: t.agentEvent.agentId }),
)

/** An event, with the identity before it (null for an enrolment) and after it, as the history rules computed them. */
export interface KeyEventRecord<Finished extends { readonly receiptJson: string }> {
  readonly before: IdentityState | null
  readonly after: IdentityState
  readonly challengeId: string
  readonly eventJson: string
  readonly signaturesJson: string
  /**
   * Signs the receipt. Called inside the unit, because the receipt states the event's log index, which only the unit knows. Must be pure
   * and fast (Ed25519 is deterministic, about 20 us); it is called again when the unit is.
   */
  readonly finish: (logIndex: number) => Finished
}

/**
 * Writes the event, its keys and its leaf. Throws, and so rolls the unit back, when the head has moved or a key already has an owner. The
 * caller must check both in the same unit before.
 */
export function* recordKeyEvent<Finished extends { readonly receiptJson: string }>(
  record: KeyEventRecord<Finished>,
): Unit<Finished> {
  const { before, after } = record
  const { keys: _, ...identity } = after
  const event = { ...identity, eventDigest: after.headEventDigest, acceptedAt: after.headAcceptedAt }
  if (before === null) yield* written(insertAgent, event)
  else yield* written(moveHead, { ...event, previousEventDigest: before.headEventDigest })
  // Old keys first, because the database allows only one ACTIVE key of a role.
  for (const key of changedKeys(before, after)) yield* written(updateKey, { ...key, agentId: after.agentId })
  for (const key of introducedKeys(before, after)) {
    yield* written(insertKey, { ...key, agentId: after.agentId, scalarOwner: keyOwner(key.x) })
  }
  const finished = record.finish(yield* appendKeyEvent(after.agentId, after.headEventDigest))
  const { challengeId, eventJson, signaturesJson } = record
  yield* written(insertEvent, { ...event, challengeId, eventJson, signaturesJson, receiptJson: finished.receiptJson })
  return finished
}

export function introducedKeys(before: IdentityState | null, after: IdentityState): readonly KeyState[] {
  const known = new Set(before?.keys.map(({ keyId }) => keyId))
  return after.keys.filter(({ keyId }) => !known.has(keyId))
}

function changedKeys(before: IdentityState | null, after: IdentityState): readonly KeyState[] {
  const known = new Map(before?.keys.map((key) => [key.keyId, key]))
  const members = ["status", "until", "compromisedSince", "successorKeyId"] as const
  return after.keys.filter((key) => {
    const old = known.get(key.keyId)
    return old !== undefined && members.some((member) => old[member] !== key[member])
  })
}

/** A write that the checks above guarantee. A throw rolls the whole unit back. */
function* written<Row>(statement: Query<Row>, values: Values): Unit<void> {
  if (!(yield* first(statement, values))) throw new Error("a write of a key event changed no row")
}
