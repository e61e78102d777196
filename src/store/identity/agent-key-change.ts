/**
 * Accepts a proof. One unit writes the event, its effect on the keys, its leaf in the log, the consumed challenge and the response, all or
 * nothing.
 */
import { and, eq, lt, sql } from "drizzle-orm"
import { keyOwner } from "../../core/key-owner.ts"
import { bind, bound, first, query, rows, type Unit } from "../unit.ts"
import { type AgentChallenge, challengeById, supersedeChallenges } from "./agent-challenge.ts"
import { headDigestOf } from "./agent-identity.ts"
import { introducedKeys, type KeyEventRecord, recordKeyEvent } from "./key-event-record.ts"
import { findServiceKey } from "./service-keys.ts"

const keyOfOwner = query((db, t) =>
  db
    .select({ keyId: t.agentKey.keyId })
    .from(t.agentKey)
    .where(eq(t.agentKey.scalarOwner, bind("scalarOwner"))),
)

const consume = query((db, t) =>
  db
    .update(t.agentChallenge)
    .set({
      state: "CONSUMED",
      client: null,
      requestedBy: null,
      proofDigest: bound("proofDigest"),
      resultJson: bound("resultJson"),
    })
    .where(
      and(
        eq(t.agentChallenge.challengeId, bind("challengeId")),
        eq(t.agentChallenge.state, sql`'ISSUED'`),
        sql`${t.agentChallenge.expiresAt} > ${bind("at")}`,
      ),
    )
    .returning({ challengeId: t.agentChallenge.challengeId }),
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

export interface Finished {
  readonly receiptJson: string
  readonly resultJson: string
}

export interface KeyEventAcceptance extends KeyEventRecord<Finished> {
  readonly proofDigest: string
  readonly client: string
  readonly enrolmentsPerDayMax: number
  /** Key id of the statement key that `finish` signs with. */
  readonly signerKeyId: string
}

export type AcceptOutcome =
  | { readonly kind: "ACCEPTED"; readonly resultJson: string }
  /** The challenge is not open any more, or is gone. Judge its row again. */
  | { readonly kind: "NOT_OPEN"; readonly challenge: AgentChallenge | null }
  | { readonly kind: "HEAD_MOVED" }
  | { readonly kind: "KEY_ALREADY_ENROLLED"; readonly role: "OPERATIONAL" | "RECOVERY" }
  | { readonly kind: "DAILY_LIMIT" }
  /** Another process has replaced the statement key. Sign with the new one. */
  | { readonly kind: "SIGNER_REPLACED" }

/**
 * Consumes the challenge and records its event. Every check that can refuse comes before the first write (except the day's count), because
 * a unit that returns has committed its writes.
 */
export function* acceptKeyEvent(acceptance: KeyEventAcceptance): Unit<AcceptOutcome> {
  const { before, after, challengeId, proofDigest } = acceptance
  const at = after.headAcceptedAt
  const challenge = yield* challengeById(challengeId)
  if (challenge?.state !== "ISSUED" || challenge.expiresAt <= at) return { kind: "NOT_OPEN", challenge }
  if (before && (yield* headDigestOf(before.agentId)) !== before.headEventDigest) return { kind: "HEAD_MOVED" }
  for (const { role, x } of introducedKeys(before, after)) {
    if (yield* first(keyOfOwner, { scalarOwner: keyOwner(x) })) return { kind: "KEY_ALREADY_ENROLLED", role }
  }
  // A receipt stays in the history forever. A receipt by a key that was replaced before the event would invalidate every bundle of the
  // identity.
  if ((yield* findServiceKey(acceptance.signerKeyId))?.status !== "ACTIVE") return { kind: "SIGNER_REPLACED" }
  if (before === null && !(yield* countedToday(acceptance))) return { kind: "DAILY_LIMIT" }
  const { resultJson } = yield* recordKeyEvent(acceptance)
  if (!(yield* first(consume, { challengeId, proofDigest, resultJson, at })))
    throw new Error("an open challenge was not consumed")
  yield* supersedeChallenges(after.agentId)
  return { kind: "ACCEPTED", resultJson }
}

function* countedToday({ after, client, enrolmentsPerDayMax }: KeyEventAcceptance): Unit<boolean> {
  const day = after.headAcceptedAt.slice(0, 10)
  yield* rows(purgeDays, { day })
  return (yield* first(countEnrolment, { day, client, enrolmentsMax: enrolmentsPerDayMax })) !== undefined
}
