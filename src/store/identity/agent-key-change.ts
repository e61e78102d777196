/**
 * Accepts a proof. One unit writes the event, its effect on the keys, its leaf in the log, the consumed challenge and the response, all or
 * nothing.
 */
import { and, eq, sql } from "drizzle-orm"
import { keyOwner } from "../../core/key-owner.ts"
import { bind, bound, first, query, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
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

export interface Finished {
  readonly receiptJson: string
  readonly resultJson: string
}

export interface KeyEventAcceptance extends KeyEventRecord<Finished> {
  readonly proofDigest: string
  readonly writer: FreeWriter
  /** The cap that the event counts for. Null: it ends a key, and nothing may stop it. */
  readonly cap: "ENROLMENTS" | "ROTATIONS" | null
  /** Key id of the statement key that `finish` signs with. */
  readonly signerKeyId: string
}

export type AcceptOutcome =
  | { readonly kind: "ACCEPTED"; readonly resultJson: string }
  /** The challenge is not open any more, or is gone. Judge its row again. */
  | { readonly kind: "NOT_OPEN"; readonly challenge: AgentChallenge | null }
  | { readonly kind: "HEAD_MOVED" }
  | { readonly kind: "KEY_ALREADY_ENROLLED"; readonly role: "OPERATIONAL" | "RECOVERY" }
  | NotAdmitted
  /** Another process has replaced the statement key. Sign with the new one. */
  | { readonly kind: "SIGNER_REPLACED" }

/**
 * Consumes the challenge and records its event. Every check that can refuse comes before the first write, because a unit that returns has
 * committed its writes.
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
  const refused = acceptance.cap && (yield* admit(acceptance.cap, acceptance.writer))
  if (refused) return refused
  const { resultJson } = yield* recordKeyEvent(acceptance)
  if (!(yield* first(consume, { challengeId, proofDigest, resultJson, at })))
    throw new Error("an open challenge was not consumed")
  yield* supersedeChallenges(after.agentId)
  return { kind: "ACCEPTED", resultJson }
}
