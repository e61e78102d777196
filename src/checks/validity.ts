import { MINUTE } from "../core/time.ts"

/** Minimum remaining validity of an answer to be quoted or settled (rulings 41). A shorter one would be useless on arrival. */
export const VALIDITY_MIN_MS = 10 * MINUTE
