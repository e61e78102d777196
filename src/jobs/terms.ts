// The times of a job (Interface, "Agent-commerce (ACP) purchase channel"), in seconds of the chain's clock.

/** A budget is proposed only with this much time left: three minutes for the buyer to fund, three to see it in a safe block and submit. */
export const PROPOSE_SECONDS_MIN = 360
/** The answer is acquired, which is final, only with this much time left to submit it. */
export const ACQUIRE_SECONDS_MIN = 60
/** Nothing is submitted with less time left. */
export const SUBMIT_SECONDS_MIN = 20
/** CHOICE: a job may end at most this long after it is found, so that nobody makes the worker follow jobs for years. */
export const JOB_SECONDS_MAX = 24 * 3600
/** Mandate and delegation must be valid for this long after the end of the job. */
export const AUTHORITY_BEYOND_SECONDS = 600
/** CHOICE: jobs of one client that wait for a requirement. */
export const WAITING_JOBS_MAX = 20
/** How long facts of a job are followed after its end. */
export const FOLLOW_SECONDS_MAX = 7 * 24 * 3600

/** Why the worker polls again, and when, in milliseconds. */
export const POLL_MS = {
  /** A wake-up by the hub comes earlier. */
  requirement: 5_000,
  /** For a requirement that has not come for a quarter of an hour. */
  idle: 30_000,
  chain: 2_000,
  hub: 5_000,
  facts: 60_000,
} as const

/** No poll is planned further ahead. */
export const POLL_AHEAD_MS_MAX = 10 * 60_000
