/** Computes the next fetch from stored data, so that a restart, a command and a route give the same time. */
import { DAY, instant, MINUTE } from "../../../core/time.ts"
import type { SourceCheckRow } from "../../../store/sources/source-checks.ts"
import { hash32 } from "../../screening/hash-pairs.ts"
import { nextSlot, type Poll } from "./poll.ts"

export type LastCheck = Pick<SourceCheckRow, "sourceId" | "attemptedAt" | "outcome" | "failures" | "retryAfterUntil">

/** Wait after the first failure. Each further failure doubles it, up to the source's own interval or a day. */
const BACKOFF_FIRST = 5 * MINUTE
const BACKOFF_MAX = DAY
/** Upper limit for a publisher's Retry-After: a header must not block the fetches until the list is stale. */
const RETRY_AFTER_MAX = DAY
const JITTER_SHARE = 0.1
const JITTER_MAX = 10 * MINUTE
/** A row with a time in the future was written before the clock was set back. */
const CLOCK_SLACK = MINUTE

/** Returns milliseconds. A time not after `now` means: fetch at once. */
export function nextAttempt(poll: Poll, last: LastCheck | null, now: number): number {
  if (last === null) return Math.max(now, poll.expectedAt ?? now)
  const at = instant(last.attemptedAt)
  if (at > now + CLOCK_SLACK) return now
  const wait =
    last.failures > 0
      ? backoff(poll, last.failures)
      : last.outcome === "REFUSED"
        ? Math.min(nextSlot(poll, at) - at, DAY)
        : nextSlot(poll, at) - at
  const due = at + wait + jitter(last, wait)
  const requestedAt = last.retryAfterUntil === null ? 0 : Math.min(instant(last.retryAfterUntil), at + RETRY_AFTER_MAX)
  return Math.max(due, requestedAt)
}

/** `failures` counts from 1. */
export function backoff(poll: Poll, failures: number): number {
  return Math.min(BACKOFF_FIRST * 2 ** Math.min(failures - 1, 30), Math.min(poll.every, BACKOFF_MAX))
}

/**
 * Adds up to a tenth, so that installations do not all fetch in the same second. Derived from the last attempt and not from a random
 * generator, so that every caller computes the same time.
 */
function jitter({ sourceId, attemptedAt }: LastCheck, wait: number): number {
  const share = hash32(`${sourceId} ${attemptedAt}`, 2166136261) / 2 ** 32
  return Math.floor(share * Math.min(wait * JITTER_SHARE, JITTER_MAX))
}
