/**
 * The two HMAC keys of a data directory. They never change: a quote or a token that one process gave must be known to every other one. Many
 * directories may serve one database, so the database has a check value of each key.
 */
import { createHmac } from "node:crypto"
import type { Unit } from "../store/engine/unit.ts"
import { insertMeta, metaValue } from "../store/meta.ts"
import type { DataPaths } from "./data-paths.ts"

export interface HmacKeys {
  /** 32 bytes: the HMAC key of quotes. */
  readonly quoteKey: Uint8Array
  /** 32 bytes: the HMAC key of authorization tokens. */
  readonly tokenKey: Uint8Array
}

/** HMAC-SHA-256 of a fixed text with each key, as 64 hexadecimal digits. It says nothing about the key. */
type KeyChecks = Readonly<Record<keyof HmacKeys, string>>

const TEXTS: KeyChecks = {
  quoteKey: "bizauth check value of the quote key",
  tokenKey: "bizauth check value of the token key",
}

/** Digits of a check value that a person compares. */
const SHOWN = 16

export function keyChecksOf(keys: HmacKeys): KeyChecks {
  const checkOf = (key: keyof HmacKeys) => createHmac("sha256", keys[key]).update(TEXTS[key]).digest("hex")
  return { quoteKey: checkOf("quoteKey"), tokenKey: checkOf("tokenKey") }
}

/** Null in a database of a release that wrote none. */
export function* storedKeyChecks(): Unit<KeyChecks | null> {
  const quoteKey = yield* metaValue("quote_key_check")
  const tokenKey = yield* metaValue("token_key_check")
  return quoteKey === null || tokenKey === null ? null : { quoteKey, tokenKey }
}

/** The first ones stay. Returns those that the database has then. */
export function* keepKeyChecks(checks: KeyChecks): Unit<KeyChecks> {
  yield* insertMeta("quote_key_check", checks.quoteKey)
  yield* insertMeta("token_key_check", checks.tokenKey)
  return (yield* storedKeyChecks()) ?? checks
}

/** Why these key files are not those of the database, as a sentence without its end; null if they are. `database`: its name. */
export function keyCheckFault(
  paths: Pick<DataPaths, keyof HmacKeys>,
  found: KeyChecks,
  stored: KeyChecks,
  database: string,
): string | null {
  const differing = (["quoteKey", "tokenKey"] as const)
    .filter((key) => found[key] !== stored[key])
    .map((key) => `${paths[key]} has the fingerprint ${shown(found[key])}, and the database ${shown(stored[key])}`)
  if (differing.length === 0) return null
  return `these key files are not those of ${database}: ${differing.join("; ")}. Copy keys/ and bizauth.toml of the directory that init made for this database`
}

function shown(check: string): string {
  return check.slice(0, SHOWN)
}
