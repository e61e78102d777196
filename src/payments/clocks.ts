// A 402 for a payment whose window is wrong states two times: of the newest block, which judges the window, and of this service.
import { formatInstant, SECOND } from "../core/time.ts"
import { CLIENT_SKEW_SECONDS, VALID_AFTER_AHEAD_SECONDS_MAX, VALIDITY_SECONDS_MIN } from "./authorization.ts"
import { MAX_TIMEOUT_SECONDS } from "./quote.ts"
import { type EvmNode, RpcUnavailable } from "./rpc.ts"

/** The authorization was still valid when it was presented, and no longer long enough when it was to be sent. */
export const TOO_CLOSE_TO_EXPIRY = "authorization_too_close_to_expiry"

const AHEAD_MAX = MAX_TIMEOUT_SECONDS + CLIENT_SKEW_SECONDS

/** What each reason about a window expects. */
const EXPECTED: Readonly<Record<string, string>> = {
  invalid_exact_evm_payload_authorization_valid_after: `must be at most ${VALID_AFTER_AHEAD_SECONDS_MAX} s after the block`,
  invalid_exact_evm_payload_authorization_valid_before: `must be ${VALIDITY_SECONDS_MIN}-${AHEAD_MAX} s after the block, at most ${CLIENT_SKEW_SECONDS} s after the quote ends`,
  [TOO_CLOSE_TO_EXPIRY]: "sign again with a later validBefore",
}

export function isAboutClock(reason: string): boolean {
  return Object.hasOwn(EXPECTED, reason)
}

/**
 * `reason`, then what was expected and both times. `now` in milliseconds, `headSeconds` null when the node does not say. Only characters that
 * `agent pay` repeats to its user.
 */
export function withClocks(reason: string, now: number, headSeconds: number | null): string {
  const block = headSeconds === null ? "not known now" : formatInstant(headSeconds * SECOND)
  return `${reason}: ${EXPECTED[reason]}. Block time ${block}, service time ${formatInstant(now)}`
}

/** The time of the newest block in seconds, or null. */
export async function headTime(node: EvmNode): Promise<number | null> {
  try {
    return (await node.block("latest")).timestamp
  } catch (error) {
    if (error instanceof RpcUnavailable) return null
    throw error
  }
}
