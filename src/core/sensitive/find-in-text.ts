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

/**
 * The same for the members of an object. `entries`: names and values as one text; `values`: the values as one. Names between its words are no
 * part of a seed phrase.
 */
export function findInEntries(
  { entries, values }: { readonly entries: string; readonly values: string },
  use: Use | undefined,
  search: Search,
): SensitiveFault["kind"] | null {
  const kind = findInText(entries, use, search)
  return kind === null || kind === "SEED_PHRASE" ? findInText(values, use, search) : kind
}

/** A name that the caller chose for a member and that says that an account number follows. */
const ACCOUNT_NAME = /acc(?:oun)?t|card|bank|payout|(?<![a-z])pan(?![a-z])/i

export function useOfName(name: string): Use | undefined {
  return ACCOUNT_NAME.test(name) ? "ACCOUNT" : undefined
}

/** True if a reply may repeat this name, which the caller chose. */
export function isRepeatable(name: string): boolean {
  return findSecret(name, true) === null && findRawBankData(name, true) === null
}
