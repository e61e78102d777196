/**
 * Keeps the states of a board while they stay equal. An age is a whole number of seconds, so almost all requests of one second share one
 * list of states, and what is derived from that list can be kept with it.
 */
import { instant, SECOND } from "../../core/time.ts"
import type { SourceState } from "./source-board.ts"

interface Kept {
  /** What the states were judged from. */
  readonly from: unknown
  readonly states: readonly SourceState[]
  readonly span: Span
}

/** Instants in milliseconds. The span ends before `end`. */
interface Span {
  readonly first: number
  readonly end: number
}

export class KeptStates {
  #kept: Kept | null = null

  /** `from` is replaced by another object whenever it changes. `judge` judges it at `at` (milliseconds). */
  at(at: number, from: unknown, judge: () => readonly SourceState[]): readonly SourceState[] {
    const kept = this.#kept
    if (kept !== null && kept.from === from && at >= kept.span.first && at < kept.span.end) return kept.states
    const states = judge()
    this.#kept = { from, states, span: spanOf(states, at) }
    return states
  }
}

/**
 * The instants around `at` for which the same snapshots have the same states. The windows of freshness are whole seconds, so freshness
 * changes only together with the age.
 */
export function spanOf(states: readonly SourceState[], at: number): Span {
  let first = Number.NEGATIVE_INFINITY
  let end = Number.POSITIVE_INFINITY
  const bound = (from: number, until: number) => {
    first = Math.max(first, from)
    end = Math.min(end, until)
  }
  for (const { checkedAt, ageSeconds, staleAt, nextAttemptAt } of states) {
    // The next attempt depends on the clock in more ways than its own time, so nothing is known about the past.
    if (nextAttemptAt !== null) bound(at, Math.max(at + 1, instant(nextAttemptAt)))
    if (checkedAt === null || ageSeconds === null) continue
    const seen = instant(checkedAt)
    // The clock was set back: the age is 0 until it has caught up.
    if (at < seen) bound(at, at + 1)
    else bound(seen + ageSeconds * SECOND, seen + (ageSeconds + 1) * SECOND)
    if (staleAt === null) continue
    const stale = instant(staleAt)
    if (at < stale) bound(Number.NEGATIVE_INFINITY, stale)
    else bound(stale, Number.POSITIVE_INFINITY)
  }
  return { first, end }
}
