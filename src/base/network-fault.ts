/** How deep libraries nest the error of the system. */
const CAUSES_MAX = 8

/**
 * Returns the code of the system for a connection that failed, such as ECONNREFUSED or ENOTFOUND, wherever a library nests it; null for any
 * other error. Only the code, because messages may repeat an address with a key in it, or what was sent.
 */
export function networkCode(error: unknown): string | null {
  let at = error
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    if (at.name === "TimeoutError") return "ETIMEDOUT"
    if ("code" in at && typeof at.code === "string" && /^[A-Z][A-Z0-9_]{2,63}$/.test(at.code)) return at.code
    at = at.cause
  }
  return null
}

/** ` (ECONNREFUSED)`, or nothing where no code is known. */
export const inBrackets = (code: string | null): string => (code === null ? "" : ` (${code})`)
