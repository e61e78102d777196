/** Capsules of delivered answers, by the digest that a later request names. */
import { and, asc, eq, isNotNull } from "drizzle-orm"
import { capsuleOf } from "../../core/capsule/capsule-in-body.ts"
import { bind, first, query, type Unit } from "../engine/unit.ts"

/** Nothing makes a response digest unique. The order is one that no machine and no VACUUM changes. */
const ofResponse = query((db, { delivery: t }) =>
  db
    .select({ body: t.body, capsuleJson: t.capsuleJson })
    .from(t)
    .where(and(eq(t.responseDigest, bind("responseDigest")), isNotNull(t.body)))
    .orderBy(asc(t.requestId))
    .limit(1),
)

/** A core digest is in one record. */
const ofCore = query((db, { answerRecord, delivery }) =>
  db
    .select({ body: delivery.body, capsuleJson: delivery.capsuleJson })
    .from(answerRecord)
    .innerJoin(delivery, eq(delivery.requestId, answerRecord.requestId))
    .where(and(eq(answerRecord.coreDigest, bind("coreDigest")), isNotNull(delivery.body))),
)

/** `digest`: of the response, or of the core that the capsule signs. Null if nobody acquired such an answer. */
export function* findCapsuleByDigest(digest: string): Unit<string | null> {
  const found = (yield* first(ofResponse, { responseDigest: digest })) ?? (yield* first(ofCore, { coreDigest: digest }))
  return found?.body ? capsuleOf({ ...found, body: found.body }) : null
}
