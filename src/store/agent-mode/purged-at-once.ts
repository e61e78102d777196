/** Ended rows that one insert removes: more than one, so that purging keeps up; few, so that the lock stays short. */
export const PURGED_AT_ONCE = 64
