import { type Limit, row } from "./limit.ts"

/** Limits of Agent ID, delegations and signing keys. */
export const IDENTITY_LIMITS: readonly Limit[] = [
  row(
    "life of an Agent ID challenge",
    "600 s",
    "CHALLENGE_TTL_SECONDS",
    "src/core/key-event.ts",
    "409 `CHALLENGE_EXPIRED`",
  ),
  row(
    "wrong proofs of a challenge",
    "5",
    "BAD_PROOFS_MAX",
    "src/store/identity/agent-challenge.ts",
    "409 `CHALLENGE_LOCKED`",
  ),
  row(
    "open challenges of an address",
    "20",
    "OUTSTANDING_PER_CLIENT_MAX",
    "src/products/agent-id/open-challenge.ts",
    "429 `RATE_LIMITED`",
  ),
  row(
    "open revocation and recovery challenges of one identity",
    "8",
    "UNCOUNTED_PER_AGENT_MAX",
    "src/store/identity/agent-challenge.ts",
    "none: the oldest of the address that holds most makes room",
  ),
  row(
    "time between routine rotations",
    "10 minutes",
    "ROUTINE_ROTATION_EVERY",
    "src/products/agent-id/issue-key-change.ts",
    "429 `RATE_LIMITED`",
  ),
  row(
    "events of an identity, for rotations",
    "1,000",
    "EVENTS_PER_AGENT_MAX",
    "src/products/agent-id/issue-key-change.ts",
    "409 `LIFECYCLE_CONFLICT`; revoking stays possible",
  ),
  row(
    "events in an export bundle",
    "1,000, the service's own included",
    "EXPORT_EVENTS_MAX",
    "schemas/agent-id/export.ts",
    "409 `EXPORT_TOO_LONG`",
  ),
  row(
    "bytes of an export bundle",
    "4 MiB",
    "EXPORT_BYTES_MAX",
    "schemas/agent-id/export.ts",
    "409 `EXPORT_TOO_LONG`; the verifier answers INVALID",
  ),
  row(
    "window of a signed statement",
    "300 s",
    "WINDOW_SECONDS_MAX",
    "src/products/agent-id/signature-window.ts",
    "temporal outcome `WINDOW_TOO_LONG`",
  ),
  row(
    "life of a delegation",
    "400 days",
    "DELEGATION_DAYS_MAX",
    "src/products/us/buyer-onboarding/enroll.ts",
    "422 `SCHEMA_INVALID`",
  ),
  row(
    "delegations of one key",
    "200",
    "DELEGATIONS_OF_KEY_MAX",
    "src/products/us/buyer-onboarding/record-delegation.ts",
    "409 `DELEGATION_LIMIT_REACHED`",
  ),
  row("signing key", "400 days", "KEY_VALID_DAYS", "src/keys/issue-key.ts", "503 `SIGNING_KEY_EXPIRED`"),
]
