import type { AgentIdentityChallenge, IssueAgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { EnrolmentEvent } from "../../../schemas/agent-id/key-event.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../core/digest.ts"
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import { ServiceError } from "../../errors.ts"
import type { Answer, Call } from "../../http/call.ts"
import type { Machine } from "../../machine.ts"
import { type IssueOutcome, issueChallenge } from "../../store/agent-challenge.ts"
import type { Store } from "../../store/unit.ts"
import { CHALLENGE_ID_BYTES, CHALLENGE_TTL_SECONDS, enrolmentEvent, NONCE_BYTES } from "./key-event.ts"
import { checkedKeys, refusePrivateMaterial } from "./submitted-keys.ts"

export const OUTSTANDING_PER_CLIENT_MAX = 20
export const OUTSTANDING_IN_ALL_MAX = 100_000
/** CHOICE: how long after its expiry a challenge is still told CHALLENGE_EXPIRED rather than CHALLENGE_NOT_FOUND. */
const EXPIRED_KEPT_SECONDS = 600

export interface IssueDeps {
  readonly store: Store
  readonly machine: Machine
  readonly baseUrl: () => string
}

/**
 * Answers an ENROLLMENT challenge: the very event both keys are to sign. Whether a key is enrolled already is not looked up
 * here; that is told only to someone who has proved possession of it.
 */
export async function answerChallenge(deps: IssueDeps, call: Call<IssueAgentIdentityChallenge>): Promise<Answer> {
  const { body, at } = call
  refusePrivateMaterial(body)
  if (body.purpose !== "ENROLLMENT") {
    throw new ServiceError("CHALLENGE_PURPOSE_UNAVAILABLE", "This version cannot rotate or revoke keys yet.")
  }
  const keys = checkedKeys(body.operational_public_jwk, body.recovery_public_jwk)
  const event = enrolmentEvent({
    ...keys,
    audience: deps.baseUrl(),
    challengeId: encodeBase64url(deps.machine.random(CHALLENGE_ID_BYTES)),
    nonce: encodeBase64url(deps.machine.random(NONCE_BYTES)),
    issuedAt: formatInstant(at),
    expiresAt: formatInstant(at + CHALLENGE_TTL_SECONDS * SECOND),
    nextOperationalKeyDigest: body.next_operational_key_digest ?? null,
  })
  const eventJson = canonicalize(event)
  const challengeDigest = digestBytes(eventJson)
  const outcome = await deps.store.run(() =>
    issueChallenge({
      challengeId: event.challenge_id,
      client: call.client,
      eventJson,
      challengeDigest,
      issuedAt: event.issued_at,
      expiresAt: event.expires_at,
      purgeBefore: formatInstant(at - EXPIRED_KEPT_SECONDS * SECOND),
      perClientMax: OUTSTANDING_PER_CLIENT_MAX,
      inAllMax: OUTSTANDING_IN_ALL_MAX,
    }),
  )
  if (outcome.kind !== "ISSUED") throw capRefusal(outcome, at)
  return { status: 201, body: challengeBody(event, challengeDigest, deps.baseUrl()), note: { purpose: body.purpose } }
}

function capRefusal(outcome: Exclude<IssueOutcome, { kind: "ISSUED" }>, at: number): ServiceError {
  const own = outcome.kind === "CLIENT_CAP"
  return new ServiceError(
    "RATE_LIMITED",
    own
      ? `At most ${OUTSTANDING_PER_CLIENT_MAX} challenges of one address may be outstanding.`
      : `At most ${OUTSTANDING_IN_ALL_MAX} challenges may be outstanding in all.`,
    {
      reasonCodes: [own ? "OUTSTANDING_CHALLENGES_OF_ADDRESS" : "OUTSTANDING_CHALLENGES_IN_ALL"],
      retryAfterSeconds: Math.max(1, Math.ceil((instant(outcome.nextExpiry) - at) / SECOND)),
    },
  )
}

function challengeBody(event: EnrolmentEvent, challengeDigest: Digest, baseUrl: string): AgentIdentityChallenge {
  return {
    schema_version: "1.0.0",
    challenge: event,
    challenge_digest: challengeDigest,
    required_signatures: [
      { role: "OPERATIONAL", key_id: event.keys.operational.key_id },
      { role: "RECOVERY", key_id: event.keys.recovery.key_id },
    ],
    external_signing: {
      canonicalization: "SVC-C14N-JSON-1",
      algorithm: "Ed25519",
      signing_location: "LOCAL_ONLY",
      signing_input: "C14N(challenge)",
    },
    proof_request: { method: "POST", uri: `${baseUrl}/v1/agent-identities/challenges/${event.challenge_id}/prove` },
    expires_at: event.expires_at,
    price: { amount: "0", currency: "N/A_NO_CHARGE" },
    limitations: [...AGENT_ID_LIMITATIONS],
    next_machine_action: "SIGN_CHALLENGE_LOCALLY_AND_PROVE",
  }
}
