/**
 * In the client module in place of `forms/challenge-carrier.ts`: a schema for what the service chooses. Every other member is compared with
 * the event that the client itself builds.
 */
import { ChallengeId } from "../../../../schemas/agent-id/key-event.ts"
import { DateTime, Nonce } from "../../../../schemas/common.ts"

const challenge = {
  ...{ domain: {}, schema_version: {}, claim: {}, audience: {}, purpose: {}, agent_id: {}, sequence: {}, keys: {} },
  ...{ previous_event_digest: {}, next_operational_key_digest: {}, change: {} },
  ...{ challenge_id: ChallengeId, nonce: Nonce, issued_at: DateTime, expires_at: DateTime },
}

export const ChallengeCarrier = {
  type: "object",
  required: ["challenge"],
  properties: {
    challenge: {
      type: "object",
      additionalProperties: false,
      required: Object.keys(challenge),
      properties: challenge,
    },
  },
}
