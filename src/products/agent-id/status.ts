import type { AgentStatus, AgentStatusPayload } from "../../../schemas/agent-id/identity.ts"
import { STATUS_DOMAIN } from "../../../schemas/agent-id/key-event.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { type Signer, signedAnswer } from "../../core/signer.ts"
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import type { Identity } from "../../store/identity/agent-identity.ts"

export const STATUS_WINDOW_SECONDS = 30
const FRESH_SECONDS = 60

/** Returns the number of the 30-second window of an instant, counted from the epoch. */
export function statusWindow(now: number): number {
  return Math.floor(now / (STATUS_WINDOW_SECONDS * SECOND))
}

/**
 * Returns now rounded down to 30 s, or the acceptance time of the head event if that is later (rulings 23). Milliseconds since the epoch.
 */
function statusAsOf(headAcceptedAt: string, now: number): number {
  return Math.max(statusWindow(now) * STATUS_WINDOW_SECONDS * SECOND, instant(headAcceptedAt))
}

interface StatusFacts {
  readonly identity: Identity
  /** The identity's newest event is from before a restore, so a later one may be lost. */
  readonly isUnknown: boolean
}

function statusPayload(
  { identity, isUnknown }: StatusFacts,
  log: AgentStatusPayload["log"],
  now: number,
): AgentStatusPayload {
  const asOf = statusAsOf(identity.headAcceptedAt, now)
  return {
    domain: STATUS_DOMAIN,
    schema_version: "1.0.0",
    agent_id: identity.agentId,
    identity_status: identity.identityStatus,
    sequence: identity.sequence,
    head_event_digest: identity.headEventDigest,
    keys: identity.keys.map(({ keyId, role, status, since }) => ({ key_id: keyId, role, status, since })),
    as_of: formatInstant(asOf),
    fresh_until: formatInstant(asOf + FRESH_SECONDS * SECOND),
    freshness: { status: isUnknown ? "UNKNOWN" : "FRESH", max_age_seconds: FRESH_SECONDS, basis: "ISSUER_STATE" },
    log,
  }
}

/**
 * `log` is the size of the log, read together with the identity. Ed25519 is deterministic. So within one window, the status of an unchanged
 * identity at one log size has the same bytes even if it is built again.
 */
export function signedStatus(
  facts: StatusFacts,
  log: AgentStatusPayload["log"],
  signer: Signer,
  now: number,
): AgentStatus {
  return {
    ...signedAnswer(signer, statusPayload(facts, log, now)),
    limitations: [...AGENT_ID_LIMITATIONS],
    next_machine_action: "USE_UNTIL_FRESH_UNTIL_THEN_REFETCH",
  }
}
