import { DAY, MINUTE, SECOND } from "../../core/time.ts"

/** All times are in milliseconds unless a comment states another unit. */
export interface TransferLimits {
  readonly resolveMs: number
  readonly connectMs: number
  /** From the sent request to the complete response head. */
  readonly firstByteMs: number
  /** Longest time without any byte. */
  readonly idleMs: number
  /** Minimum number of bytes in each `paceWindowMs`, so that a slow response cannot block a round for hours. */
  readonly paceBytes: number
  readonly paceWindowMs: number
  /** Longest time for one file, with all its redirects. */
  readonly wholeMs: number
  readonly redirects: number
  /** Number of tries for one file in one round, and the pause before the second try. Each further pause is four times as long. */
  readonly tries: number
  readonly pauseMs: number
  /** Upper limit for a publisher's Retry-After, so that a header cannot stop the fetches forever. */
  readonly retryAfterMaxMs: number
}

const REDIRECTS_MAX = 5
const TRIES_MAX = 3
const FILE_TIME_MAX_MS = 60 * MINUTE
const RETRY_AFTER_MAX_MS = DAY
/**
 * OFAC's large file was measured at 190 KB/s and took over five minutes. A server that sends less than a fortieth of that rate over half a
 * minute is treated as failed.
 */
const PACE_BYTES_MIN = 128 * 1024

export const TRANSFER_LIMITS: TransferLimits = {
  resolveMs: 10 * SECOND,
  connectMs: 15 * SECOND,
  firstByteMs: 60 * SECOND,
  idleMs: 30 * SECOND,
  paceBytes: PACE_BYTES_MIN,
  paceWindowMs: 30 * SECOND,
  wholeMs: FILE_TIME_MAX_MS,
  redirects: REDIRECTS_MAX,
  tries: TRIES_MAX,
  pauseMs: 2 * SECOND,
  retryAfterMaxMs: RETRY_AFTER_MAX_MS,
}
