/** Units that write and whose outcome nobody knows yet. A wait behind thousands of others helps nobody, so the next one gets BUSY immediately. */
export const QUEUE_UNITS_MAX = 10_000
/** Reads that wait for a view. The next one gets BUSY immediately. */
export const WAITING_READS_MAX = 10_000
