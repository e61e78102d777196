/** How often a hosted facilitator is given payments that it did not settle. */
import { SECOND } from "../core/time.ts"
import type { SettlementHint } from "./hosted-settler.ts"

/** Of one payment: doubled after each hand-over. */
export const PAUSE_MS_FIRST = 2 * SECOND
export const PAUSE_MS_MAX = 60 * SECOND
/** Of all payments, while the facilitator cannot be reached or says that it is busy: doubled after each. */
const SILENCE_MS_FIRST = 1 * SECOND
const SILENCE_MS_MAX = 30 * SECOND
/** No payment lives longer than this, so no longer `Retry-After` makes a difference. */
const RETRY_AFTER_MS_MAX = 300 * SECOND
/** Payments whose pace is remembered; the oldest is forgotten first, and is then handed over once too early. */
const PAYMENTS_MAX = 10_000

interface Pause {
  readonly untilMs: number
  readonly lengthMs: number
}

const NO_PAUSE: Pause = { untilMs: 0, lengthMs: 0 }

/**
 * In memory: a restart hands each open payment over once, at once, which a facilitator must bear since the authorization can be used
 * only once. All times are monotonic milliseconds.
 */
export class HandOverPace {
  private readonly pauses = new Map<string, Pause>()
  private silence = NO_PAUSE

  isDue(attemptId: string, now: number): boolean {
    return isOver(this.silence, now) && isOver(this.pauses.get(attemptId), now)
  }

  /** What the facilitator said to this hand-over. */
  note(attemptId: string, hint: SettlementHint, now: number): void {
    const known = this.pauses.get(attemptId)
    this.pauses.delete(attemptId)
    if (this.pauses.size >= PAYMENTS_MAX) this.forgetOldest()
    this.pauses.set(attemptId, longer(known?.lengthMs, PAUSE_MS_FIRST, PAUSE_MS_MAX, now))
    if (hint.kind !== "no_answer") this.silence = NO_PAUSE
    else if (hint.reason === "unreachable" || hint.reason === "busy") this.lengthenSilence(hint.retryAfterMs, now)
  }

  private lengthenSilence(retryAfterMs: number | undefined, now: number): void {
    const known = this.silence
    // Payments handed over together fail together, and are one silence.
    const next = isOver(known, now) ? longer(known.lengthMs, SILENCE_MS_FIRST, SILENCE_MS_MAX, now) : known
    const asked = now + Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
    this.silence = { ...next, untilMs: Math.max(next.untilMs, asked) }
  }

  private forgetOldest(): void {
    const oldest = this.pauses.keys().next()
    if (!oldest.done) this.pauses.delete(oldest.value)
  }
}

function longer(lengthMs: number | undefined, first: number, max: number, now: number): Pause {
  const next = lengthMs ? Math.min(2 * lengthMs, max) : first
  return { untilMs: now + next, lengthMs: next }
}

/** A pause that seems longer than any is one that a clock set back has left behind. */
function isOver(pause: Pause | undefined, now: number): boolean {
  return pause === undefined || pause.untilMs <= now || pause.untilMs - now > RETRY_AFTER_MS_MAX
}
