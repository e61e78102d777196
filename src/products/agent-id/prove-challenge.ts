import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import type { AgentIdentityProofResult, ProveAgentIdentityChallenge } from "../../../schemas/agent-id/proof.ts"
import { ServiceError } from "../../base/errors.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { IdentityState } from "../../core/identity-state.ts"
import { applyKeyEvent, requiredSignatures } from "../../core/key-history.ts"
import type { Signer } from "../../core/signer.ts"
import { formatInstant, instant } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { type AgentChallenge, challengeById, recordBadProof } from "../../store/identity/agent-challenge.ts"
import { findIdentity, type Identity } from "../../store/identity/agent-identity.ts"
import { type AcceptOutcome, acceptKeyEvent } from "../../store/identity/agent-key-change.ts"
import { challengeStateOf, expired, superseded } from "./challenge-state.ts"
import { checkProof, type ProofFault, proofDigestOf } from "./proof.ts"
import { finishedResult } from "./proof-result.ts"

/** Nothing may stop the end of a key. */
const CAPS = { ENROLLMENT: "ENROLMENTS", ROTATION: "ROTATIONS", REVOCATION: null } as const

interface ProveDeps {
  readonly store: Store
  readonly signer: () => Signer
  /** Reloads the service's keys from the database at once, instead of within a second. */
  readonly refreshKeys: () => Promise<unknown>
  readonly baseUrl: () => string
  readonly issuerName: string
}

const CHALLENGE_ID = /^[A-Za-z0-9_-]{32}$/

/**
 * Consumes a challenge with the signatures that its event needs. The same proof gets the same reply again, because a lost response must not
 * cost an agent its identity or its new key. Other material for a consumed challenge is a replay.
 */
export async function replyProof(deps: ProveDeps, call: Call<ProveAgentIdentityChallenge>): Promise<Reply> {
  const challengeId = call.params["challengeId"] ?? ""
  const found = CHALLENGE_ID.test(challengeId) ? await deps.store.read(() => withIdentity(challengeId)) : null
  const proofDigest = proofDigestOf(call.body)
  const challengeState = challengeStateOf(found?.challenge ?? null, proofDigest, call.at)
  if (challengeState.kind === "REPLAY") return replayed(challengeState.resultJson)

  const { eventJson, challengeDigest } = challengeState.challenge
  const before = found?.identity ?? null
  const event = JSON.parse(eventJson) as KeyEvent
  if (event.previous_event_digest !== (before?.headEventDigest ?? null)) throw superseded()
  const required = requiredSignatures(before, event)
  if (!required) throw new Error("a challenge was issued for a role without a key")
  const verdict = checkProof(call.body, challengeDigest, eventJson, required)
  if (verdict.fault) {
    // CHOICE: every wrong proof that passed the schema counts, whatever its fault.
    await deps.store.run(() => recordBadProof(challengeId))
    throw new ServiceError(verdict.fault, DETAIL[verdict.fault], { errors: verdict.errors })
  }

  const after = afterEvent(before, event, challengeDigest, call.at)
  const signaturesJson = canonicalize(verdict.signatures)
  const writer = call.writer()
  const accept = () => {
    const signer = deps.signer()
    const facts = { signer, issuerName: deps.issuerName, baseUrl: deps.baseUrl() }
    return deps.store.run(() =>
      acceptKeyEvent({
        ...{ before, after, challengeId, eventJson, signaturesJson, proofDigest, writer },
        cap: CAPS[event.purpose],
        signerKeyId: signer.keyId,
        finish: (logIndex) => finishedResult(facts, event, after, logIndex),
      }),
    )
  }
  let outcome = await accept()
  if (outcome.kind === "SIGNER_REPLACED") {
    await deps.refreshKeys()
    outcome = await accept()
  }
  return replyOf(outcome, before, proofDigest, call.at)
}

/** Reads the challenge and the identity that it would change from one database snapshot. */
function* withIdentity(
  challengeId: string,
): Unit<{ readonly challenge: AgentChallenge; readonly identity: Identity | null } | null> {
  const challenge = yield* challengeById(challengeId)
  if (!challenge) return null
  return { challenge, identity: challenge.agentId === null ? null : yield* findIdentity(challenge.agentId) }
}

const DETAIL: Readonly<Record<ProofFault, string>> = {
  PROOF_DIGEST_MISMATCH: "challenge_digest must be the digest this challenge was issued with.",
  PROOF_ROLE_MISSING: "Send exactly one signature for each role in required_signatures.",
  PROOF_SIGNATURE_INVALID: "Sign C14N(challenge) with the key named for the role, and with no other key.",
}

/**
 * Returns the identity after the event. Throws for conditions that can have changed since the challenge was issued; any other fault is a
 * bug.
 */
function afterEvent(before: IdentityState | null, event: KeyEvent, eventDigest: string, at: number): IdentityState {
  // If the clock was set back, an event must still not be dated before its challenge or before the event that it follows.
  const acceptedAt = Math.max(at, instant(event.issued_at), before ? instant(before.headAcceptedAt) : at)
  const outcome = applyKeyEvent(before, event, eventDigest, formatInstant(acceptedAt))
  if (!("fault" in outcome)) return outcome.state
  if (outcome.fault === "KEY_REUSED") throw enrolledAlready("NEW_KEY_ENROLLED")
  if (outcome.fault === "ACCEPTED_OUTSIDE_WINDOW") throw expired()
  throw new Error(`a challenge was issued for an event that breaks ${outcome.fault}`)
}

function enrolledAlready(code: string): ServiceError {
  return new ServiceError(
    "KEY_ALREADY_ENROLLED",
    "A key or its negation can be used once, in one identity; make new keys.",
    {
      errors: [{ pointer: "/signatures", code, expected: "signatures by keys that no identity has used" }],
    },
  )
}

function replayed(resultJson: string): Reply {
  const stored = JSON.parse(resultJson) as AgentIdentityProofResult
  return { status: 200, body: { ...stored, replayed: true }, note: { result: stored.result, replayed: true } }
}

function replyOf(outcome: AcceptOutcome, before: IdentityState | null, proofDigest: string, at: number): Reply {
  switch (outcome.kind) {
    case "ACCEPTED": {
      const { result } = JSON.parse(outcome.resultJson) as AgentIdentityProofResult
      return { status: 200, body: outcome.resultJson, note: { result, replayed: false } }
    }
    case "HEAD_MOVED":
      throw superseded()
    case "KEY_ALREADY_ENROLLED":
      throw enrolledAlready(`${before ? "NEW" : outcome.role}_KEY_ENROLLED`)
    case "NOT_ADMITTED":
      throw notAdmittedError(outcome, at)
    case "SIGNER_REPLACED":
      throw new ServiceError("STORE_UNAVAILABLE", "The service's key is being replaced; send the same proof again.", {
        reasonCodes: ["SIGNING_KEY_REPLACED"],
        retryAfterSeconds: 1,
      })
    case "NOT_OPEN": {
      const challengeState = challengeStateOf(outcome.challenge, proofDigest, at)
      if (challengeState.kind === "OPEN") throw new Error("a challenge the store found closed reads as open")
      return replayed(challengeState.resultJson)
    }
  }
}
