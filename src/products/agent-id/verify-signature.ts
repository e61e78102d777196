import type { VerifyAgentSignature } from "../../../schemas/agent-id/signature.ts"
import type { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { formatInstant, MINUTE } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { type EvaluationDeps, evaluateSignature, type ReplayRequest } from "./evaluate-signature.ts"
import { nextSignatureAction } from "./signature-next-action.ts"
import { type SignatureSubject, subjectOf } from "./signature-subject.ts"

/** The state behind a reply counts as current for this time, as in a status record. */
const FRESH_MS = MINUTE

/** Always 200 after an evaluation: an invalid signature is a result. */
export async function replyVerification(deps: EvaluationDeps, call: Call<VerifyAgentSignature>): Promise<Reply> {
  const { body, at } = call
  const subject = subjectOf(body)
  const outcomes = await evaluateSignature(deps, subject, replayRequestOf(body), call)
  const evaluatedAt = formatInstant(at)
  // INVARIANT: members are in canonical order, here and in each outcome, and their schemas allow only plain text. Therefore JSON.stringify
  // prints the canonical form at a third of the cost. A test checks this for every reply of the route.
  const result: AgentSignatureVerification = {
    agent_id: subject.agentId,
    claim: "KEY_CONTROL_ONLY",
    evaluated_at: evaluatedAt,
    key_id: subject.keyId,
    limitations: LIMITATIONS,
    next_machine_action: nextSignatureAction(outcomes),
    outcomes,
    payload_digest: subject.payloadDigest,
    schema_version: "1.0.0",
    statement_digest: subject.statement?.digest ?? null,
    valid_as_of: evaluatedAt,
    valid_until: formatInstant(validUntil(subject, outcomes.temporal.outcome, at)),
    // Reuses the random bits of the request id, so that a holder of the reply can find its line in the request log.
    verification_id: `ver_${call.requestId.slice("req_".length)}`,
  }
  return { status: 200, body: JSON.stringify(result), note: notedOutcomes(result) }
}

const LIMITATIONS = [...AGENT_ID_LIMITATIONS]

function replayRequestOf(body: VerifyAgentSignature): ReplayRequest {
  if (!("statement" in body)) return { mode: "OBSERVE", verifierNonce: null }
  return { mode: body.replay_check ?? "OBSERVE", verifierNonce: body.verifier_nonce ?? null }
}

// CHOICE: a reply is current for 60 s, like a status, and never beyond the end of the statement.
function validUntil({ statement }: SignatureSubject, temporal: string, at: number): number {
  const ends = statement?.window.expiresAt ?? null
  return temporal === "WITHIN_WINDOW" && ends !== null && ends > at ? Math.min(at + FRESH_MS, ends) : at + FRESH_MS
}

/** For the request log: names of outcomes, never values of the request. */
function notedOutcomes({ outcomes, next_machine_action }: AgentSignatureVerification): Record<string, string> {
  return {
    cryptographic: outcomes.cryptographic.outcome,
    lifecycle: outcomes.lifecycle.outcome,
    replay: outcomes.replay.outcome,
    temporal: outcomes.temporal.outcome,
    distribution: outcomes.distribution.outcome,
    next: next_machine_action,
  }
}
