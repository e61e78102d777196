/** The time window that a signer states for its own signature. */
import type { SentStatement } from "../../../schemas/agent-id/signature.ts"
import { parseInstant, SECOND } from "../../core/time.ts"

/** Every signed window except that of the identity challenge is at most 300 s (rulings 61). */
export const WINDOW_SECONDS_MAX = 300
export const WINDOW_MS_MAX = WINDOW_SECONDS_MAX * SECOND
export const CLOCK_SKEW_SECONDS = 30
export const CLOCK_SKEW_MS = CLOCK_SKEW_SECONDS * SECOND

export interface ClaimedWindow {
  /** As sent. */
  readonly issuedAtText: string
  readonly expiresAtText: string
  /** Milliseconds since the epoch, or null for a text that is no valid date-time. */
  readonly issuedAt: number | null
  readonly expiresAt: number | null
}

export function claimedWindow(statement: Pick<SentStatement, "issued_at" | "expires_at">): ClaimedWindow {
  const { issued_at: issuedAtText, expires_at: expiresAtText } = statement
  return {
    issuedAtText,
    expiresAtText,
    issuedAt: parseInstant(issuedAtText),
    expiresAt: parseInstant(expiresAtText),
  }
}
