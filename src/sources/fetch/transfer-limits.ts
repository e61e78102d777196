import { DAY, MINUTE, SECOND } from "../../core/time.ts"

/** Milliseconds where nothing else is said. */
export interface TransferLimits {
  readonly resolveMs: number
  readonly connectMs: number
  /** From the sent request to the whole head of the answer. */
  readonly firstByteMs: number
  /** Without any byte. */
  readonly idleMs: number
  /** The least a body must bring in each `paceWindowMs`: a drip must not hold a round for hours. */
  readonly paceBytes: number
  readonly paceWindowMs: number
  /** One file with all its redirects. */
  readonly wholeMs: number
  readonly redirects: number
  /** Tries for one file in one round, and the pause before the second; each further one is four times as long. */
  readonly tries: number
  readonly pauseMs: number
  /** A publisher's Retry-After counts up to here: it must not be able to keep us away for good. */
  readonly retryAfterMaxMs: number
}

const REDIRECTS_MAX = 5
const TRIES_MAX = 3
const FILE_TIME_MAX_MS = 60 * MINUTE
const RETRY_AFTER_MAX_MS = DAY
/**
 * OFAC's large file was measured at 190 KB/s and took over five minutes. Whoever gives less than a fortieth of that over half a minute is
 * not publishing a list.
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
