/** The refusals of agent mode: a part of the catalogue of all refusals. */
export const agentModeRefusals = {
  // Signatures of agents over HTTP messages
  AGENT_SIGNATURE_REQUIRED: {
    status: 403,
    title: "A signature of the agent is missing",
    next: "SIGN_REQUEST",
    form: "AGENT_REQUEST",
  },
  SIGNATURE_PARAMETERS_INVALID: {
    status: 422,
    title: "The signature headers do not have the fixed form",
    next: "SIGN_AGAIN",
    form: "AGENT_REQUEST",
  },
  AGENT_SIGNATURE_INVALID: {
    status: 403,
    title: "The agent's signature does not verify",
    next: "SIGN_REQUEST",
    form: "AGENT_REQUEST",
  },
  NONCE_REPLAY: { status: 409, title: "This signature was used", next: "SIGN_AGAIN", form: "AGENT_REQUEST" },

  // Agent mode
  ENVIRONMENT_ISOLATION: { status: 403, title: "Sandbox and live never mix", next: "STOP" },
  PROVIDER_ISOLATION: { status: 403, title: "Another provider's document or key", next: "STOP" },
  ECONOMIC_ISOLATION: { status: 403, title: "This route takes no part in payments", next: "STOP" },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    title: "Idempotency key used with another body",
    next: "USE_NEW_IDEMPOTENCY_KEY",
  },
  RETENTION_TOO_LONG: { status: 422, title: "Retention ends more than 400 days ahead", next: "CORRECT_REQUEST" },
  ARTIFACT_REJECTED: { status: 422, title: "The artifact does not verify", next: "STOP" },
  CURSOR_INVALID: { status: 422, title: "Not a cursor of this inventory", next: "CORRECT_REQUEST" },
  WALLET_FULL: { status: 429, title: "The proof wallet is full", next: "END_ENTRIES", retryable: true },

  // Signed messages, sales and the Intent Beacon
  TIMESTAMP_REJECTED: {
    status: 422,
    title: "A time of the message is not accepted",
    next: "SIGN_AGAIN",
    form: "OF_CALL",
  },
  AGENT_SIGNATURE_REJECTED: {
    status: 401,
    title: "The agent's signature is not accepted",
    next: "SIGN_AGAIN",
    form: "OF_CALL",
  },
  AGENT_SCOPE_REJECTED: {
    status: 401,
    title: "The message is signed for another scope",
    next: "SIGN_AGAIN",
    form: "OF_CALL",
  },
  KILL_SWITCH_ACTIVE: { status: 409, title: "The operator has stopped this", next: "RETRY_LATER", retryable: true },
  OPTED_OUT: { status: 409, title: "The agent has opted out", next: "STOP" },
  CONSENT_NOT_ACTIVE: { status: 409, title: "No consent of this agent is active", next: "GRANT_CONSENT" },
  CONSENT_EXISTS: { status: 409, title: "The consent id has other content", next: "USE_NEW_ID" },
  POLICY_CONFLICT: { status: 409, title: "Outside the policy or the consent", next: "READ_POLICY" },
  CHANNEL_NOT_ALLOWED: { status: 409, title: "The channel does not take this message", next: "READ_STATUS" },
  DIALOGUE_TURN_CONFLICT: {
    status: 409,
    title: "Not the next turn of this dialogue",
    next: "CONTINUE_LAST_TURN",
  },
  OFFER_NOT_FOUND: { status: 404, title: "No such offer", next: "STOP" },
  // Planning
  INPUT_POINTER_UNKNOWN: { status: 422, title: "The operation's body has no such member", next: "CORRECT_REQUEST" },
  INTENT_INCOMPLETE: { status: 422, title: "Inputs of the operation are missing", next: "PROVIDE_MISSING_INPUTS" },
  CONTINUATION_BINDING_MISMATCH: {
    status: 409,
    title: "The continuation is bound to other values",
    next: "REQUEST_NEW_CONTINUATION",
  },
  CONTINUATION_EXPIRED: { status: 409, title: "The continuation has expired", next: "REQUEST_NEW_CONTINUATION" },
  CONTINUATION_REPLAY: { status: 409, title: "The continuation was used", next: "REQUEST_NEW_CONTINUATION" },
  AGENT_MODE_PLANNING_DISABLED: { status: 503, title: "Planning is off", next: "RETRY_LATER", retryable: true },
} as const
