/** Units that write and have no outcome yet. The next one gets BUSY immediately, because a wait behind thousands of others helps no caller. */
export const QUEUE_UNITS_MAX = 10_000
/** Reads that wait for a view. The next one gets BUSY immediately. */
export const WAITING_READS_MAX = 10_000
