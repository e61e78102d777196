/** A process that serves writes its row every few seconds. One whose row is older, or from further ahead, is gone. In milliseconds. */
export const INSTANCE_ALIVE_MS = 15_000
