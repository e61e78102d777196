/** Limits how often a hosted facilitator receives a payment that it did not settle. */
import { Cache } from "../core/cache.ts"
import { SECOND } from "../core/time.ts"
import type { SettlementHint } from "./hosted-settler.ts"

/** Pause of one payment; doubled after each hand-over. */
export const PAUSE_MS_FIRST = 2 * SECOND
const PAUSE_MS_MAX = 60 * SECOND
/** Pause of all payments while the facilitator is unreachable or busy; doubled after each failure. */
const SILENCE_MS_FIRST = 1 * SECOND
const SILENCE_MS_MAX = 30 * SECOND
/** No payment lives longer than this, so a longer `Retry-After` has no effect. */
const RETRY_AFTER_MS_MAX = 300 * SECOND
/** Limit of remembered payments. One that is forgotten may be handed over once too early. */
const PAYMENTS_MAX = 10_000

interface Pause {
  readonly untilMs: number
  readonly lengthMs: number
}

const NO_PAUSE: Pause = { untilMs: 0, lengthMs: 0 }

/**
 * Kept in memory. After a restart each open payment is handed over once without a pause; this is safe, because an authorization can be used
 * only once. All times are monotonic milliseconds.
 */
export class HandOverPace {
  private readonly pauses = new Cache<string, Pause>({ max: PAYMENTS_MAX })
  private silence = NO_PAUSE

  isDue(attemptId: string, now: number): boolean {
    return isOver(this.silence, now) && isOver(this.pauses.get(attemptId), now)
  }

  /** Whether this process has handed over the payment. */
  knows(attemptId: string): boolean {
    return this.pauses.get(attemptId) !== undefined
  }

  /** Records the facilitator's response to a hand-over. */
  note(attemptId: string, hint: SettlementHint, now: number): void {
    const known = this.pauses.get(attemptId)
    this.pauses.set(attemptId, longer(known?.lengthMs, PAUSE_MS_FIRST, PAUSE_MS_MAX, now))
    if (hint.kind !== "no_answer") this.silence = NO_PAUSE
    else if (hint.reason === "unreachable" || hint.reason === "busy") this.lengthenSilence(hint.retryAfterMs, now)
  }

  private lengthenSilence(retryAfterMs: number | undefined, now: number): void {
    const known = this.silence
    // Payments handed over in parallel fail together and lengthen the pause only once.
    const next = isOver(known, now) ? longer(known.lengthMs, SILENCE_MS_FIRST, SILENCE_MS_MAX, now) : known
    const requestedUntil = now + Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
    this.silence = { ...next, untilMs: Math.max(next.untilMs, requestedUntil) }
  }
}

function longer(lengthMs: number | undefined, first: number, max: number, now: number): Pause {
  const next = lengthMs ? Math.min(2 * lengthMs, max) : first
  return { untilMs: now + next, lengthMs: next }
}

/** A pause longer than the maximum comes from a clock that was set back, so it does not count. */
function isOver(pause: Pause | undefined, now: number): boolean {
  return pause === undefined || pause.untilMs <= now || pause.untilMs - now > RETRY_AFTER_MS_MAX
}
