import { Cache } from "../../core/cache.ts"

/** Maximum size of all cached bundles together. */
export const KEPT_EXPORT_BYTES_MAX = 16 * 1024 * 1024

/**
 * The bundles of the current time window by agent. The version names everything that a bundle depends on, except the time within the window. A
 * history of 900 events takes a fifth of a second to read and sign, which blocks all other requests. A repeated request within the window gets
 * the same file with the same checkpoint.
 */
export type KeptExports = Cache<string, Uint8Array, string>

export function keptExports(): KeptExports {
  return new Cache({ max: KEPT_EXPORT_BYTES_MAX, weigh: (bytes) => bytes.length })
}
