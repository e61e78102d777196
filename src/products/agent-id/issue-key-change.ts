/** Issues challenges that rotate or revoke a key of an identity, or revoke the identity: the next event of its history, unsigned. */

import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { ServiceError } from "../../base/errors.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestBytes, digestOf } from "../../core/digest.ts"
import type { IdentityState, KeyEventFault } from "../../core/identity-state.ts"
import { type ChangeRequest, changeEvent, headOf } from "../../core/key-event.ts"
import { applyKeyEvent, requiredSignatures } from "../../core/key-history.ts"
import { formatInstant, instant, MINUTE, SECOND, waitSeconds } from "../../core/time.ts"
import { without } from "../../core/without.ts"
import type { Call, Reply } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import { EXPIRED_KEPT_SECONDS, issueUncountedChallenge } from "../../store/identity/agent-challenge.ts"
import { findIdentity } from "../../store/identity/agent-identity.ts"
import { isServiceIdentity } from "../../store/identity/service-identities.ts"
import { challengeReply, eventParts, type IssueDeps, issueCounted } from "./open-challenge.ts"
import { type KeyChangeBody, requestedChange } from "./requested-change.ts"

/** No rotation beyond this number of events. Revocation remains possible, so that every key can be ended. */
export const EVENTS_PER_AGENT_MAX = 1000
/** Rulings 22. */
const ROUTINE_ROTATION_EVERY = 10 * MINUTE
/** The same request gets the same challenge as long as at least this much time remains to sign it (rulings 60). */
const GIVEN_AGAIN_SECONDS = 60

export async function replyKeyChange(deps: IssueDeps, call: Call<unknown>, body: KeyChangeBody): Promise<Reply> {
  const request = requestedChange(body)
  const state = await deps.store.read(() => findIdentity(body.agent_id))
  if (!state) throw new ServiceError("AGENT_NOT_FOUND", "No identity has this id.")
  // The database rows of the service's own keys must change together with its history. And the thief of an operational key must not be able
  // to stop the service's signing from outside.
  if (await deps.store.read(() => isServiceIdentity(body.agent_id))) throw conflict("CHANGED_BY_OPERATOR_ONLY")
  const head = headOf(state)
  if (!head) throw conflict("IDENTITY_REVOKED")
  // If the clock was set back, an event must still not be dated before the event that it follows.
  const at = Math.max(call.at, instant(state.headAcceptedAt))
  const event = changeEvent(head, request, eventParts(deps, at))
  const eventJson = canonicalize(event)
  requirePossible(state, event, digestBytes(eventJson))
  requireWaitOver(state, request, at)
  const required = requiredSignatures(state, event)
  if (!required) throw new Error("an event the rules allow has a role without a key")
  const note = { purpose: body.purpose, kind: request.kind }
  if (request.kind === "ROTATE_OPERATIONAL" && request.mode === "ROUTINE") {
    await issueCounted(deps, call, event, state.agentId)
    return challengeReply(event, required, deps.baseUrl(), note)
  }
  const writer = call.writer()
  const issued = await deps.store.run(() =>
    issueUncountedChallenge({
      challengeId: event.challenge_id,
      agentId: state.agentId,
      requestedBy: call.client,
      eventJson,
      challengeDigest: digestBytes(eventJson),
      parameterDigest: digestOf(without(event, "challenge_id", "nonce", "issued_at", "expires_at")),
      issuedAt: event.issued_at,
      expiresAt: event.expires_at,
      givenAgainUntil: formatInstant(at + GIVEN_AGAIN_SECONDS * SECOND),
      purgeBefore: formatInstant(at - EXPIRED_KEPT_SECONDS * SECOND),
      writer,
    }),
  )
  if (issued.kind === "NOT_ADMITTED") throw notAdmittedError(issued, call.at)
  return challengeReply(JSON.parse(issued.eventJson) as KeyEvent, required, deps.baseUrl(), note)
}

/**
 * Applies the rules as if the event were signed now. It ignores KEY_REUSED: only a caller who holds a key may learn whether it is enrolled.
 */
function requirePossible(state: IdentityState, event: KeyEvent, eventDigest: string): void {
  if (event.purpose === "ROTATION" && event.sequence >= EVENTS_PER_AGENT_MAX) throw conflict("EVENTS_USED_UP")
  const outcome = applyKeyEvent(state, event, eventDigest, event.issued_at)
  if ("fault" in outcome && outcome.fault !== "KEY_REUSED") throw conflict(outcome.fault)
}

const CONFLICTS = {
  IDENTITY_REVOKED: "The identity is revoked permanently; enrol a new one.",
  TARGET_NOT_ACTIVE: "The operational key is not active; only the recovery key can add a new one.",
  COMMITMENT_MISSING: "No next key was committed; rotate with the recovery key.",
  COMMITMENT_MISMATCH: "The new key is not the one that was committed; rotate to that one, or with the recovery key.",
  COMPROMISE_OUT_OF_RANGE: "A compromise lies between the key's introduction and now.",
  CHANGED_BY_OPERATOR_ONLY: "This is an identity of the service itself; its operator changes its keys on the machine.",
  EVENTS_USED_UP: `An identity has at most ${EVENTS_PER_AGENT_MAX} events; it can still be revoked.`,
} as const

function conflict(reason: KeyEventFault | keyof typeof CONFLICTS): ServiceError {
  if (!isConflict(reason)) throw new Error(`an event built on the head of its history breaks ${reason}`)
  const errors =
    reason === "COMPROMISE_OUT_OF_RANGE"
      ? [
          {
            pointer: "/compromise_suspected_since",
            code: reason,
            expected: "date-time from the key's introduction to now",
          },
        ]
      : undefined
  return new ServiceError("LIFECYCLE_CONFLICT", CONFLICTS[reason], {
    reasonCodes: [reason],
    ...(errors && { errors }),
  })
}

function isConflict(reason: string): reason is keyof typeof CONFLICTS {
  return Object.hasOwn(CONFLICTS, reason)
}

function requireWaitOver(state: IdentityState, request: ChangeRequest, at: number): void {
  const routine = request.kind === "ROTATE_OPERATIONAL" && request.mode === "ROUTINE"
  if (!routine || state.lastRoutineRotationAt === null) return
  const free = instant(state.lastRoutineRotationAt) + ROUTINE_ROTATION_EVERY
  if (at >= free) return
  throw new ServiceError("RATE_LIMITED", "A routine rotation is possible once in ten minutes.", {
    reasonCodes: ["ROUTINE_ROTATION_TOO_SOON"],
    retryAfterSeconds: waitSeconds(free, at, ROUTINE_ROTATION_EVERY / SECOND),
  })
}
