/** The common parts of all challenges: the values that the service chooses, the counts, and the reply. */
import type { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Machine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestBytes, digestOf } from "../../core/digest.ts"
import { CHALLENGE_ID_BYTES, CHALLENGE_TTL_SECONDS, type EventParts, NONCE_BYTES } from "../../core/key-event.ts"
import { formatInstant, instant, SECOND, waitSeconds } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import type { Store } from "../../store/engine/unit.ts"
import { type IssueOutcome, issueChallenge } from "../../store/identity/agent-challenge.ts"
import type { RequiredSignature } from "./proof.ts"

export const OUTSTANDING_PER_CLIENT_MAX = 20

export interface IssueDeps {
  readonly store: Store
  readonly machine: Machine
  readonly baseUrl: () => string
}

/** The values that the service chooses for an event: its own origin, ten minutes from `at`, and fresh randomness. */
export function eventParts({ machine, baseUrl }: IssueDeps, at: number): EventParts {
  return {
    audience: baseUrl(),
    challengeId: encodeBase64url(machine.random(CHALLENGE_ID_BYTES)),
    nonce: encodeBase64url(machine.random(NONCE_BYTES)),
    issuedAt: formatInstant(at),
    expiresAt: formatInstant(at + CHALLENGE_TTL_SECONDS * SECOND),
  }
}

/** Stores a challenge that counts towards the limits of its sender's address and of the service. Throws 429 at a limit. */
export async function issueCounted(
  deps: IssueDeps,
  call: Pick<Call<unknown>, "client" | "at" | "writer">,
  event: KeyEvent,
  agentId: string | null,
): Promise<void> {
  const { client, at } = call
  const writer = call.writer()
  const eventJson = canonicalize(event)
  const outcome = await deps.store.run(() =>
    issueChallenge({
      challengeId: event.challenge_id,
      client,
      agentId,
      eventJson,
      challengeDigest: digestBytes(eventJson),
      issuedAt: event.issued_at,
      expiresAt: event.expires_at,
      perClientMax: OUTSTANDING_PER_CLIENT_MAX,
      writer,
    }),
  )
  if (outcome.kind !== "ISSUED") throw capRefusal(outcome, at)
}

function capRefusal(outcome: Exclude<IssueOutcome, { kind: "ISSUED" }>, at: number): ServiceError {
  if (outcome.kind === "NOT_ADMITTED") return notAdmittedError(outcome, at)
  return new ServiceError(
    "RATE_LIMITED",
    `At most ${OUTSTANDING_PER_CLIENT_MAX} challenges of one address may be outstanding.`,
    {
      reasonCodes: ["OUTSTANDING_CHALLENGES_OF_ADDRESS"],
      retryAfterSeconds: waitSeconds(instant(outcome.nextExpiry), at, CHALLENGE_TTL_SECONDS),
    },
  )
}

export function challengeReply(
  event: KeyEvent,
  required: readonly RequiredSignature[],
  baseUrl: string,
  note: NonNullable<Reply["note"]>,
): Reply {
  const body: AgentIdentityChallenge = {
    schema_version: "1.0.0",
    challenge: event,
    challenge_digest: digestOf(event),
    required_signatures: required.map(({ role, key }) => ({ role, key_id: key.key_id })),
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
  return { status: 201, body, note }
}
