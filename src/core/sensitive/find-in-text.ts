/** Finds what no caller may send in one text: secrets, and raw bank data where an operation refuses it. */
import type { Use } from "../../../schemas/hints.ts"
import { findRawBankData, type RawBankData } from "../bank-data/raw-bank-data.ts"
import { findSecret, type Secret } from "../secrets/find-secret.ts"

export interface SensitiveFault {
  /** RFC 6901 pointer. It repeats nothing sensitive. */
  readonly pointer: string
  readonly kind: RawBankData | Secret
}

/** Secrets are searched for in every body. */
export interface Search {
  readonly bankData: boolean
}

/** `use`: of the member that holds the text. Absent: an id or a reference, which may be a digest or a long number. */
export function findInText(text: string, use: Use | undefined, { bankData }: Search): SensitiveFault["kind"] | null {
  const secret = findSecret(text, use === "PROSE" || use === "TRACE")
  if (secret !== null || !bankData) return secret
  return findRawBankData(text, use === "PROSE" || use === "ACCOUNT")
}

interface Entries {
  /** Names and values as one text. */
  readonly all: string
  readonly names: readonly string[]
  /** The values as one text. */
  readonly values: string
}

/** The same for the members of an object. A seed phrase is in one name or in the values, never in names and values by turns. */
export function findInEntries(
  { all, names, values }: Entries,
  use: Use | undefined,
  search: Search,
): SensitiveFault["kind"] | null {
  const kind = findInText(all, use, search)
  if (kind !== null && kind !== "SEED_PHRASE") return kind
  if (kind !== null && names.some((name) => findInText(name, use, search) !== null)) return kind
  return findInText(values, use, search)
}

/** A name that the caller chose for a member and that says that an account number follows. */
const ACCOUNT_NAME = /acc(?:oun)?t|card|bank|payout|(?<![a-z])pan(?![a-z])/i

export function useOfName(name: string): Use | undefined {
  return ACCOUNT_NAME.test(name) ? "ACCOUNT" : undefined
}
