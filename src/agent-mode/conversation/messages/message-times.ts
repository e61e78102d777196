/** The times of a signed message. */
import type { SignedMessage } from "../../../../schemas/agent-mode/signed-message.ts"
import { ServiceError } from "../../../base/errors.ts"
import { instant, SECOND } from "../../../core/time.ts"

/** CHOICE: a message holds for five minutes at most, and two correct clocks differ by half a minute at most. */
export const CLOCK_SKEW_MS = 30 * SECOND
const MESSAGE_SECONDS_MAX = 300

/** TIMESTAMP_REJECTED. `pointer` names the member, `reason` the rule it breaks. */
export function timeFault(pointer: string, reason: string, expected: string): ServiceError {
  return new ServiceError("TIMESTAMP_REJECTED", "Sign the message again with times that fit.", {
    reasonCodes: [reason],
    errors: [{ pointer, code: reason, expected }],
  })
}

/** Throws TIMESTAMP_REJECTED. `at` in milliseconds. */
export function requireCurrent({ issued_at, expires_at }: SignedMessage, at: number): void {
  const issued = instant(issued_at)
  const expires = instant(expires_at)
  if (issued > at + CLOCK_SKEW_MS) throw timeFault("/issued_at", "ISSUED_IN_FUTURE", "at most 30 seconds ahead")
  if (expires <= at) throw timeFault("/expires_at", "MESSAGE_ENDED", "a time that is not over")
  if (expires <= issued) throw timeFault("/expires_at", "WINDOW_EMPTY", "after issued_at")
  if (expires - issued > MESSAGE_SECONDS_MAX * SECOND) {
    throw timeFault("/expires_at", "WINDOW_TOO_LONG", `at most ${MESSAGE_SECONDS_MAX} seconds after issued_at`)
  }
}
