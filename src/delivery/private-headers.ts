/** Of every answer that only its buyer may see: no cache may store it. */
export const PRIVATE = { "cache-control": "private, no-store" } as const
