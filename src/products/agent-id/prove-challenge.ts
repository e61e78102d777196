import type { EnrolmentEvent } from "../../../schemas/agent-id/key-event.ts"
import { EVENT_RECEIPT_DOMAIN } from "../../../schemas/agent-id/key-event.ts"
import type {
  AgentIdentityProofResult,
  EventReceiptPayload,
  EventSignature,
  ProveAgentIdentityChallenge,
} from "../../../schemas/agent-id/proof.ts"
import { agentIdOf } from "../../core/agent-id.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import { keyOwner } from "../../core/key-owner.ts"
import { type Signer, signedAnswer } from "../../core/signer.ts"
import { DAY, formatInstant, instant, SECOND } from "../../core/time.ts"
import { type ErrorCode, type RefusalContext, ServiceError } from "../../errors.ts"
import type { Answer, Call } from "../../http/call.ts"
import { type AgentChallenge, challengeById, recordBadProof } from "../../store/agent-challenge.ts"
import { acceptEnrolment, type Enrolment, type EnrolmentOutcome } from "../../store/agent-identity.ts"
import type { Store } from "../../store/unit.ts"
import { profileOf } from "./profile.ts"
import { checkProof, type ProofFault, proofDigestOf } from "./proof.ts"

export const ENROLMENTS_PER_DAY_MAX = 200

export interface ProveDeps {
  readonly store: Store
  readonly signer: () => Signer
  readonly baseUrl: () => string
  readonly issuerName: string
}

const CHALLENGE_ID = /^[A-Za-z0-9_-]{32}$/

/**
 * Consumes a challenge with the signatures of both keys. The same proof again gets the same answer, because a lost response must
 * not cost an agent its identity; other material for a consumed challenge is a replay.
 */
export async function answerProof(deps: ProveDeps, call: Call<ProveAgentIdentityChallenge>): Promise<Answer> {
  const challengeId = call.params["challengeId"] ?? ""
  const challenge = CHALLENGE_ID.test(challengeId) ? await deps.store.read(() => challengeById(challengeId)) : null
  const proofDigest = proofDigestOf(call.body)
  const standing = standingOf(challenge, proofDigest, call.at)
  if (standing.kind === "REPLAY") return replayed(standing.resultJson)

  const { eventJson, challengeDigest } = standing.challenge
  const event = JSON.parse(eventJson) as EnrolmentEvent
  const { operational, recovery } = event.keys
  const verdict = checkProof(call.body, challengeDigest, eventJson, [
    { role: "OPERATIONAL", key: operational },
    { role: "RECOVERY", key: recovery },
  ])
  if (verdict.fault) {
    // CHOICE: every proof that passed the schema and is not the right one counts, whatever is wrong with it.
    await deps.store.run(() => recordBadProof(challengeId))
    throw new ServiceError(verdict.fault, DETAIL[verdict.fault], { errors: verdict.errors })
  }

  const result = enrolmentResult(deps, event, eventJson, call.at)
  const outcome = await deps.store.run(() =>
    acceptEnrolment(enrolmentRow(result, event, eventJson, verdict.signatures, proofDigest, call)),
  )
  return answerOf(outcome, result, proofDigest, call.at)
}

const DETAIL: Readonly<Record<ProofFault, string>> = {
  PROOF_DIGEST_MISMATCH: "challenge_digest must be the digest this challenge was issued with.",
  PROOF_ROLE_MISSING: "Send exactly one signature for each role in required_signatures.",
  PROOF_SIGNATURE_INVALID: "Sign C14N(challenge) with the key named for the role.",
}

type Standing = { kind: "OPEN"; challenge: AgentChallenge } | { kind: "REPLAY"; resultJson: string }

/** What a challenge still allows this proof. Throws the refusal when nothing. */
function standingOf(challenge: AgentChallenge | null, proofDigest: string, at: number): Standing {
  if (!challenge) throw new ServiceError("CHALLENGE_NOT_FOUND", "Unknown, or expired long ago.")
  switch (challenge.state) {
    case "CONSUMED":
      if (challenge.proofDigest !== proofDigest || challenge.resultJson === null) {
        throw refusal("CHALLENGE_REPLAY", "The first proof stands.", {
          reasonCodes: ["CHALLENGE_CONSUMED", "PROOF_MATERIAL_DIFFERS"],
        })
      }
      return { kind: "REPLAY", resultJson: challenge.resultJson }
    case "LOCKED":
      throw refusal("CHALLENGE_LOCKED", "Five proofs for this challenge did not verify.")
    case "SUPERSEDED":
      throw refusal("CHALLENGE_SUPERSEDED", "The identity has a newer event than this challenge builds on.")
    case "ISSUED":
      if (at >= instant(challenge.expiresAt)) throw refusal("CHALLENGE_EXPIRED", "Challenges live 600 seconds.")
      return { kind: "OPEN", challenge }
  }
}

function refusal(code: ErrorCode, detail: string, context?: RefusalContext): ServiceError {
  return new ServiceError(code, detail, context)
}

function replayed(resultJson: string): Answer {
  const stored = JSON.parse(resultJson) as AgentIdentityProofResult
  return { status: 200, body: { ...stored, replayed: true }, note: { result: stored.result, replayed: true } }
}

function enrolmentResult(
  deps: ProveDeps,
  event: EnrolmentEvent,
  eventJson: string,
  at: number,
): AgentIdentityProofResult {
  const eventDigest = digestBytes(eventJson)
  const agentId = agentIdOf(eventDigest)
  // CHOICE: log_index is null while there is no transparency log: an index would claim an inclusion nobody can check.
  const accepted = {
    sequence: event.sequence,
    event_digest: eventDigest,
    accepted_at: formatInstant(at),
    log_index: null,
  }
  const receipt: EventReceiptPayload = {
    domain: EVENT_RECEIPT_DOMAIN,
    schema_version: "1.0.0",
    agent_id: agentId,
    ...accepted,
  }
  const operational = {
    keyId: event.keys.operational.key_id,
    role: "OPERATIONAL",
    status: "ACTIVE",
    successorKeyId: null,
  } as const
  return {
    schema_version: "1.0.0",
    result: "ENROLLED",
    replayed: false,
    agent_id: agentId,
    profile: profileOf({ agentId, identityStatus: "ACTIVE", keys: [operational] }, deps.issuerName, deps.baseUrl()),
    event: accepted,
    receipt: signedAnswer(deps.signer(), receipt),
    next_machine_action: "SIGN_REQUESTS_WITH_OPERATIONAL_KEY",
  }
}

function enrolmentRow(
  result: AgentIdentityProofResult,
  event: EnrolmentEvent,
  eventJson: string,
  signatures: readonly EventSignature[],
  proofDigest: string,
  call: Call<ProveAgentIdentityChallenge>,
): Enrolment {
  const keyRow = (
    role: "OPERATIONAL" | "RECOVERY",
    { key_id: keyId, public_jwk: { x } }: EnrolmentEvent["keys"]["operational"],
  ) => ({
    role,
    keyId,
    x,
    scalarOwner: keyOwner(x),
  })
  return {
    challengeId: event.challenge_id,
    proofDigest,
    resultJson: canonicalize(result),
    agentId: result.agent_id,
    eventDigest: result.event.event_digest,
    eventJson,
    signaturesJson: canonicalize(signatures),
    receiptJson: canonicalize(result.receipt),
    acceptedAt: result.event.accepted_at,
    keys: [keyRow("OPERATIONAL", event.keys.operational), keyRow("RECOVERY", event.keys.recovery)],
    client: call.client,
    enrolmentsPerDayMax: ENROLMENTS_PER_DAY_MAX,
  }
}

function answerOf(
  outcome: EnrolmentOutcome,
  result: AgentIdentityProofResult,
  proofDigest: string,
  at: number,
): Answer {
  switch (outcome.kind) {
    case "ENROLLED":
      return { status: 200, body: result, note: { result: result.result, replayed: false } }
    case "KEY_ALREADY_ENROLLED":
      throw refusal("KEY_ALREADY_ENROLLED", "A key, like its negation, serves one identity for ever.", {
        errors: [{ pointer: `/signatures`, code: `${outcome.role}_KEY_ENROLLED` }],
      })
    case "DAILY_LIMIT":
      throw refusal("RATE_LIMITED", `At most ${ENROLMENTS_PER_DAY_MAX} enrolments of one address a UTC day.`, {
        reasonCodes: ["ENROLMENTS_OF_ADDRESS_TODAY"],
        retryAfterSeconds: Math.max(1, Math.ceil((DAY - (at % DAY)) / SECOND)),
      })
    case "NOT_OPEN": {
      const standing = standingOf(outcome.challenge, proofDigest, at)
      if (standing.kind === "OPEN") throw new Error("a challenge the store found closed reads as open")
      return replayed(standing.resultJson)
    }
  }
}
