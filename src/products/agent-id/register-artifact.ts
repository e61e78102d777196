import type { AgentArtifactRegistration } from "../../../schemas/agent-id/artifact.ts"
import type { VerifyAgentSignature } from "../../../schemas/agent-id/signature.ts"
import type { SignatureOutcomes } from "../../../schemas/agent-id/signature-outcomes.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Machine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { digestOf } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { formatInstant } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import { StoreUnavailable } from "../../store/engine/store-error.ts"
import { inviteFor, type Registration, registerArtifact } from "../../store/identity/artifacts.ts"
import type { TreeHead } from "../../store/log/transparency-log.ts"
import { type EvaluationDeps, evaluateSignature } from "./evaluate-signature.ts"
import { invitationLinks } from "./invitation-links.ts"
import { nextSignatureAction } from "./signature-next-action.ts"
import { type SignatureSubject, subjectOf } from "./signature-subject.ts"

/** 32 base64url characters (Interface, `reference`). */
const REFERENCE_BYTES = 24

export interface RegisterDeps extends EvaluationDeps {
  readonly machine: Machine
  readonly baseUrl: () => string
  /** The signed note of a head. */
  readonly checkpoint: (head: TreeHead) => string
}

/**
 * Logs that a signature existed by now. A registration accepts no action and uses up no nonce. Any holder of a statement may register it,
 * because the registration states only when the service received it.
 */
export async function replyRegistration(deps: RegisterDeps, call: Call<VerifyAgentSignature>): Promise<Reply> {
  const subject = registrable(call.body)
  const { statementDigest } = subject
  const evaluate = () => evaluateSignature(deps, subject, { mode: "OBSERVE", verifierNonce: null }, call)
  const outcomes = await evaluate()
  if (outcomes.cryptographic.outcome !== "VALID") return refusedRegistration(subject, outcomes)
  const { registration, head } = await register(deps, subject, outcomes.lifecycle.key_status === "REVOKED", call)
  const reference = await invited(deps, registration, call.at)
  const body: AgentArtifactRegistration = {
    schema_version: "1.0.0",
    registered: true,
    registration_id: registration.registrationId,
    statement_digest: statementDigest,
    payload_digest: registration.payloadDigest,
    registered_at: registration.registeredAt,
    outcomes: await evaluate(),
    retention: {
      payload_retained: false,
      retained: ["STATEMENT_DIGEST", "PAYLOAD_DIGEST", "AGENT_ID", "KEY_ID", "REGISTERED_AT"],
    },
    action: { accepted: false, nonce_consumed: false },
    transparency: {
      status: "LOGGED",
      log_index: registration.logIndex,
      checkpoint: deps.checkpoint(head),
    },
    tracking: tracking(deps.baseUrl(), reference),
    limitations: [...AGENT_ID_LIMITATIONS],
    next_machine_action: "KEEP_AS_EVIDENCE_OF_TIME_ONLY",
  }
  return { status: 200, body, note: { registered: true, tracking: body.tracking.status } }
}

type Registrable = SignatureSubject & { readonly statementDigest: string }

/** Throws 422 for bodies that this route never accepts, although it shares the body schema with the verification route. */
function registrable(body: VerifyAgentSignature): Registrable {
  const subject = subjectOf(body)
  if (!("statement" in body) || !subject.statement) {
    throw unregistrable(
      "/profile",
      "STATEMENT_REQUIRED",
      "Only a statement is registered: a bare payload names no time.",
      "no profile, and a statement",
    )
  }
  if (body.replay_check === "RECORD") {
    throw unregistrable("/replay_check", "OBSERVE_ONLY", "Registering takes no nonce.", '"OBSERVE" or no such member')
  }
  return { ...subject, statementDigest: subject.statement.digest }
}

function unregistrable(pointer: string, code: string, detail: string, expected: string): ServiceError {
  return new ServiceError("SCHEMA_INVALID", detail, { errors: [{ pointer, code, expected }] })
}

async function register(
  deps: RegisterDeps,
  { statementDigest, payloadDigest, agentId, keyId }: Registrable,
  byRevokedKey: boolean,
  call: Pick<Call<unknown>, "at" | "writer">,
): Promise<{ registration: Registration; head: TreeHead }> {
  const registrationId = formatId("reg", deps.machine.random(ID_RANDOM_BYTES))
  const { at } = call
  const writer = call.writer()
  const registeredAt = formatInstant(at)
  const leafDigest = digestOf({
    agent_id: agentId,
    key_id: keyId,
    payload_digest: payloadDigest,
    registered_at: registeredAt,
    registration_id: registrationId,
    statement_digest: statementDigest,
  })
  const row = { registrationId, statementDigest, payloadDigest, agentId, keyId, registeredAt, leafDigest }
  const outcome = await deps.store.run(() => registerArtifact({ ...row, byRevokedKey, writer }))
  if (outcome.kind === "NOT_ADMITTED") throw notAdmittedError(outcome, at)
  return outcome
}

/** Runs after the registration and separately from it: a failure to issue an invitation must not undo the registration. */
async function invited(deps: RegisterDeps, registration: Registration, at: number): Promise<string | null> {
  if (registration.invitationReference !== null) return registration.invitationReference
  const reference = encodeBase64url(deps.machine.random(REFERENCE_BYTES))
  try {
    return await deps.store.run(() => inviteFor(registration.statementDigest, reference, formatInstant(at)))
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}

function tracking(baseUrl: string, reference: string | null): AgentArtifactRegistration["tracking"] {
  if (reference === null) return { status: "UNAVAILABLE", invitation: null }
  const { uri, bootstrapUri } = invitationLinks(baseUrl, reference)
  return { status: "AVAILABLE", invitation: { reference, uri, bootstrap_uri: bootstrapUri } }
}

function refusedRegistration(subject: Registrable, outcomes: SignatureOutcomes): Reply {
  const body: AgentArtifactRegistration = {
    schema_version: "1.0.0",
    registered: false,
    registration_id: null,
    statement_digest: subject.statementDigest,
    payload_digest: subject.payloadDigest,
    registered_at: null,
    outcomes,
    retention: { payload_retained: false, retained: [] },
    action: { accepted: false, nonce_consumed: false },
    transparency: { status: "NOT_LOGGED", log_index: null, checkpoint: null },
    tracking: { status: "UNAVAILABLE", invitation: null },
    limitations: [...AGENT_ID_LIMITATIONS],
    next_machine_action:
      nextSignatureAction(outcomes) === "REFRESH_AND_RETRY" ? "REFRESH_AND_RETRY" : "REJECT_SIGNATURE",
  }
  return { status: 200, body, note: { registered: false, cryptographic: outcomes.cryptographic.outcome } }
}
