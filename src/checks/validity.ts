import { MINUTE } from "../core/time.ts"

/** Nothing is quoted or settled that would be valid for less (rulings 41): the answer would be of no use when it comes. */
export const VALIDITY_MIN_MS = 10 * MINUTE
