/** Refusals of agent mode, a part of the catalogue in refusals.ts. */
export const agentModeRefusals = {
  // Signed messages, sales and the Intent Beacon
  TIMESTAMP_REJECTED: { status: 422, title: "A time of the message is not accepted", next: "SIGN_AGAIN" },
  AGENT_SIGNATURE_REJECTED: { status: 401, title: "The agent's signature is not accepted", next: "SIGN_AGAIN" },
  AGENT_SCOPE_REJECTED: { status: 401, title: "The message is signed for another scope", next: "SIGN_AGAIN" },
  KILL_SWITCH_ACTIVE: { status: 409, title: "The operator has stopped this", next: "RETRY_LATER", retryable: true },
  OPTED_OUT: { status: 409, title: "The agent has opted out", next: "STOP" },
  CONSENT_NOT_ACTIVE: { status: 409, title: "No consent of this agent is active", next: "GRANT_CONSENT" },
  CONSENT_EXISTS: { status: 409, title: "The consent id has other content", next: "USE_NEW_ID" },
  POLICY_CONFLICT: { status: 409, title: "Outside the policy or the consent", next: "READ_POLICY" },
  CHANNEL_NOT_ALLOWED: { status: 409, title: "The channel does not take this message", next: "READ_STATUS" },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    title: "Idempotency key used for other content",
    next: "USE_NEW_IDEMPOTENCY_KEY",
  },
  NONCE_REPLAY: { status: 409, title: "Nonce used before", next: "SIGN_AGAIN" },
  DIALOGUE_TURN_CONFLICT: {
    status: 409,
    title: "Not the next turn of this dialogue",
    next: "CONTINUE_LAST_TURN",
  },
  OFFER_NOT_FOUND: { status: 404, title: "No such offer", next: "STOP" },
} as const
