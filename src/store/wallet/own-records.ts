/** What the service itself keeps about a document that someone presents as issued by it. */
import { and, eq, isNotNull } from "drizzle-orm"
import { bind, first, query, type Unit } from "../engine/unit.ts"

export interface DeliveredCapsule {
  readonly capsuleDigest: string
  /** When the answer was delivered; null before that was recorded. */
  readonly deliveredAt: string | null
  /** Null while the capsule waits for its leaf, and for an answer of the first release. */
  readonly logIndex: number | null
}

interface DeliveredAttachment extends DeliveredCapsule {
  readonly attachmentJson: string | null
}

const capsuleOfAnswer = query((db, { delivery: t }) =>
  db
    .select({ capsuleDigest: t.capsuleDigest, deliveredAt: t.deliveredAt, logIndex: t.logIndex })
    .from(t)
    .where(and(eq(t.answerId, bind("answerId")), isNotNull(t.body))),
)

const capsuleOfDelivery = query((db, { delivery: t }) =>
  db
    .select({ capsuleDigest: t.capsuleDigest, deliveredAt: t.deliveredAt, logIndex: t.logIndex })
    .from(t)
    .where(and(eq(t.deliveryReference, bind("deliveryReference")), isNotNull(t.body))),
)

const attachment = query((db, { delivery: t }) =>
  db
    .select({
      attachmentJson: t.attachmentJson,
      capsuleDigest: t.capsuleDigest,
      deliveredAt: t.deliveredAt,
      logIndex: t.logIndex,
    })
    .from(t)
    .where(and(eq(t.attachmentId, bind("attachmentId")), isNotNull(t.body))),
)

const event = query((db, { agentEvent: t }) =>
  db
    .select({ receiptJson: t.receiptJson, acceptedAt: t.acceptedAt })
    .from(t)
    .where(and(eq(t.agentId, bind("agentId")), eq(t.sequence, bind("sequence")))),
)

const registration = query((db, { artifactRegistration: t }) =>
  db
    .select({
      registrationId: t.registrationId,
      statementDigest: t.statementDigest,
      payloadDigest: t.payloadDigest,
      agentId: t.agentId,
      registeredAt: t.registeredAt,
      logIndex: t.logIndex,
    })
    .from(t)
    .where(eq(t.registrationId, bind("registrationId"))),
)

/** By decision id or execution id. Null if nobody acquired it. */
export function* findCapsuleOfAnswer(answerId: string): Unit<DeliveredCapsule | null> {
  return (yield* first(capsuleOfAnswer, { answerId })) ?? null
}

/** By the delivery id in a capsule of one of the answer products. */
export function* findCapsuleOfDelivery(deliveryReference: string): Unit<DeliveredCapsule | null> {
  return (yield* first(capsuleOfDelivery, { deliveryReference })) ?? null
}

export function* findDeliveredAttachment(attachmentId: string): Unit<DeliveredAttachment | null> {
  return (yield* first(attachment, { attachmentId })) ?? null
}

/** The receipt that the service gave for an event, and when it accepted the event. */
export function* findKeyEventReceipt(
  agentId: string,
  sequence: number,
): Unit<{ readonly receiptJson: string; readonly acceptedAt: string } | null> {
  return (yield* first(event, { agentId, sequence })) ?? null
}

export interface KeptRegistration {
  readonly registrationId: string
  readonly statementDigest: string
  readonly payloadDigest: string
  readonly agentId: string
  readonly registeredAt: string
  readonly logIndex: number
}

export function* findRegistration(registrationId: string): Unit<KeptRegistration | null> {
  return (yield* first(registration, { registrationId })) ?? null
}
