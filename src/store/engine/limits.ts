/** Limits of every engine. A wait behind thousands of others helps nobody, so work beyond a limit gets BUSY immediately. */

/** Units that write and whose outcome nobody knows yet, because they wait, run, or are not on the disk. */
export const QUEUE_UNITS_MAX = 10_000
/** Reads that wait for a view. */
export const WAITING_READS_MAX = 10_000
