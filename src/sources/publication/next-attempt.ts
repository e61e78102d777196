/** When a publisher is asked next: computed from what is stored, so that a restart, a command and a route say the same. */
import { DAY, instant, MINUTE } from "../../core/time.ts"
import type { SourceCheckRow } from "../../store/sources/source-checks.ts"
import { hash32 } from "../screening/hash-pairs.ts"
import { nextSlot, type Poll } from "./poll.ts"

export type LastCheck = Pick<SourceCheckRow, "sourceId" | "attemptedAt" | "outcome" | "failures" | "retryAfterUntil">

/** Wait after a first failure; each further one doubles it, up to the source's own rhythm or a day. */
export const BACKOFF_FIRST = 5 * MINUTE
const BACKOFF_MAX = DAY
/** A publisher's Retry-After counts up to here: no header may keep a list from being asked for until it is stale. */
const RETRY_AFTER_MAX = DAY
const JITTER_SHARE = 0.1
const JITTER_MAX = 10 * MINUTE
/** A row from the future was written under a clock that was since set back. */
const CLOCK_SLACK = MINUTE

/** Milliseconds; a time that is not after `now` means: at once. */
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
  const asked = last.retryAfterUntil === null ? 0 : Math.min(instant(last.retryAfterUntil), at + RETRY_AFTER_MAX)
  return Math.max(due, asked)
}

/** `failures` counts from 1. */
export function backoff(poll: Poll, failures: number): number {
  return Math.min(BACKOFF_FIRST * 2 ** Math.min(failures - 1, 30), Math.min(poll.every, BACKOFF_MAX))
}

/**
 * Later by up to a tenth, so that the installations of the world do not ask at the same second. Drawn from the last attempt instead
 * of a generator: everyone who computes the time gets the same.
 */
function jitter({ sourceId, attemptedAt }: LastCheck, wait: number): number {
  const share = hash32(`${sourceId} ${attemptedAt}`, 2166136261) / 2 ** 32
  return Math.floor(share * Math.min(wait * JITTER_SHARE, JITTER_MAX))
}
