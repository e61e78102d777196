/**
 * The clock of this process beside that of the server that keeps the database. Leases compare instants that different processes wrote, so a process
 * whose clock is off would take a lease that has not ended.
 */

/** Further off, and a process takes over no lease of another one. In milliseconds. */
export const TAKEOVER_OFFSET_MS_MAX = 1_000
/** Further off, and a process sells nothing. */
export const SELLING_OFFSET_MS_MAX = 2_000

export interface ServerClock {
  /** By how many milliseconds the clock of this process is ahead of the server's now. Null: that was not measured yet. */
  readonly offsetMs: number | null
  /** The time by the server's clock, milliseconds since the epoch. */
  now(): number
}

/** What a unit yields to ask whether the clock of this process is right. The answer is `[true]` or `[false]`. */
export interface ClockRequest {
  /** Tells it from an order and from a statement. */
  readonly order: null
}
