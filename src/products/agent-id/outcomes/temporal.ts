import type { TemporalOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"
import { CLOCK_SKEW_MS, CLOCK_SKEW_SECONDS, type ClaimedWindow, WINDOW_MS_MAX } from "../signature-window.ts"

/** Checks whether now lies in the window that the signer stated. `claimed` is null for a signature without a window. */
export function temporalOutcome(claimed: ClaimedWindow | null, at: number): TemporalOutcome {
  if (!claimed) return verdict("NO_TIME_CLAIM", null)
  const { issuedAt, expiresAt } = claimed
  if (issuedAt === null || expiresAt === null) return verdict("NOT_EVALUATED", claimed, ["TIME_NOT_IN_CALENDAR"])
  if (expiresAt <= issuedAt) return verdict("NOT_EVALUATED", claimed, ["WINDOW_EMPTY"])
  if (expiresAt - issuedAt > WINDOW_MS_MAX) return verdict("WINDOW_TOO_LONG", claimed)
  if (at < issuedAt - CLOCK_SKEW_MS) return verdict("NOT_YET_VALID", claimed)
  return verdict(at < expiresAt + CLOCK_SKEW_MS ? "WITHIN_WINDOW" : "EXPIRED", claimed)
}

function verdict(
  outcome: TemporalOutcome["outcome"],
  claimed: ClaimedWindow | null,
  reasons: TemporalOutcome["reason_codes"] = [],
): TemporalOutcome {
  return {
    clock_skew_allowed_seconds: CLOCK_SKEW_SECONDS,
    expires_at: claimed?.expiresAtText ?? null,
    issued_at: claimed?.issuedAtText ?? null,
    outcome,
    reason_codes: reasons,
  }
}
