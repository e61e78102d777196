/**
 * The two HMAC keys of a data directory. They are the same for all processes: a quote or a token that one process gave must be known to every other
 * one. Many directories may serve one database, so the database has a check value of each key. Only `replace-hmac-key.ts` changes both.
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

/** What `keys replace-hmac --use` calls each key. */
export const HMAC_USES = { quoteKey: "quote", tokenKey: "token" } as const satisfies Readonly<
  Record<keyof HmacKeys, string>
>

/** Digits of a check value that a person compares. */
const SHOWN = 16

export function keyChecksOf({ quoteKey, tokenKey }: HmacKeys): KeyChecks {
  return { quoteKey: keyCheckOf("quoteKey", quoteKey), tokenKey: keyCheckOf("tokenKey", tokenKey) }
}

export function keyCheckOf(key: keyof HmacKeys, bytes: Uint8Array): string {
  return createHmac("sha256", bytes).update(TEXTS[key]).digest("hex")
}

/** The row of `meta` with the check value of a key. */
export const CHECK_ROWS = { quoteKey: "quote_key_check", tokenKey: "token_key_check" } as const satisfies Readonly<
  Record<keyof HmacKeys, string>
>

/** Null in a database of a release that wrote none. */
export function* storedKeyChecks(): Unit<KeyChecks | null> {
  const quoteKey = yield* metaValue(CHECK_ROWS.quoteKey)
  const tokenKey = yield* metaValue(CHECK_ROWS.tokenKey)
  return quoteKey === null || tokenKey === null ? null : { quoteKey, tokenKey }
}

/** The first ones stay. Returns those that the database has then. */
export function* keepKeyChecks(checks: KeyChecks): Unit<KeyChecks> {
  yield* insertMeta(CHECK_ROWS.quoteKey, checks.quoteKey)
  yield* insertMeta(CHECK_ROWS.tokenKey, checks.tokenKey)
  return (yield* storedKeyChecks()) ?? checks
}

/** Why these key files are not those of the database, as a sentence without its end; null if they are. `database`: its name. */
export function keyCheckFault(
  paths: Pick<DataPaths, keyof HmacKeys>,
  found: KeyChecks,
  stored: KeyChecks,
  database: string,
): string | null {
  const differing = (["quoteKey", "tokenKey"] as const).filter((key) => found[key] !== stored[key])
  if (differing.length === 0) return null
  const each = differing.map(
    (key) => `${paths[key]} has the fingerprint ${shown(found[key])}, and the database ${shown(stored[key])}`,
  )
  return `these key files are not those of ${database}: ${each.join("; ")}. Copy keys/ and bizauth.toml of the directory that init made for this database. ${wayOutOfLoss(differing)}`
}

/** What to do about keys that nobody has any more, as a sentence without its end. */
export function wayOutOfLoss(keys: readonly (keyof HmacKeys)[]): string {
  return `If no directory has the key any more: bizauth keys replace-hmac --use ${keys.map((key) => HMAC_USES[key]).join(" and --use ")}`
}

function shown(check: string): string {
  return check.slice(0, SHOWN)
}
