/**
 * Keys that callers make, as indexes have them. PostgreSQL refuses a row of an index above 2,704 bytes, and a unit that delivers a paid answer must
 * not fail. So an index has the digest of a long key, and the whole key is in a column without an index.
 */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { digestBytes } from "../core/digest.ts"

/** The other columns of such an index have 1,500 bytes at most. */
const INDEXED_BYTES_MAX = 1_024

/** Returns the key, or the digest of a long one. No key that a caller makes begins with a space, so the two never meet. */
export function indexedKey(key: string): string {
  return Buffer.byteLength(key) > INDEXED_BYTES_MAX ? ` ${digestBytes(key)}` : key
}

/** Returns a key that its indexed form replaces; null for the others. */
export function wholeIfLong(key: string): string | null {
  return Buffer.byteLength(key) > INDEXED_BYTES_MAX ? key : null
}

/** The key as a caller made it. `whole` is null unless the key is long. */
export function wholeKey<T extends string | null>(whole: SQLWrapper, indexed: SQLWrapper): SQL<T> {
  return sql`coalesce(${whole}, ${indexed})`.mapWith(String) as SQL<T>
}
