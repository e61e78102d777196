import { MINUTE } from "../time.ts"

/** Minimum remaining validity of an answer to be quoted or settled (rulings 41). A shorter one would be useless on arrival. */
const VALIDITY_MIN_MS = 10 * MINUTE

/** Whether something that ends at `end` is of no use to an answer at `at`. Both in milliseconds. */
export function endsTooSoon(end: number, at: number): boolean {
  return end < at + VALIDITY_MIN_MS
}
