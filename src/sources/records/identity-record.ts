/** What the registers of federal identifiers say of one registration, in one form, so that one comparison serves them all. */
import type { RecordValue } from "./register-adapter.ts"

// A type, not an interface: only a type alias is assignable to what a register stores.
export type IdentityRecord = {
  /** The registered legal name first, then the register's own transliterations of it. */
  legal_names: string[]
  /** Trading and former names: they belong to the same registration, but none of them is its legal name. */
  other_names: string[]
  /** The register's own word; null where it has none. */
  status: string | null
  /** Whether that word says the registration stands; null where the register has no such word. */
  is_current: boolean | null
  /** `YYYY-MM-DD`. */
  expires: string | null
  /** ISO 3166-1 alpha-2 of the legal seat, where the publisher's text could be mapped. */
  country: string | null
}

/** Names kept of one registration, and their length: a decision compares all of them. */
export const NAMES_MAX = 32
export const NAME_LENGTH_MAX = 500

/** Null for a value that no register of this release can have stored. */
export function readIdentityRecord(value: RecordValue): IdentityRecord | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  const record = value as { readonly [name: string]: RecordValue }
  const { legal_names, other_names, status, is_current, expires, country } = record
  if (!isTexts(legal_names) || legal_names.length === 0 || !isTexts(other_names)) return null
  if (!isMaybeText(status) || !isMaybeText(expires) || !isMaybeText(country)) return null
  if (is_current !== null && typeof is_current !== "boolean") return null
  return { legal_names, other_names, status, is_current, expires, country }
}

function isTexts(value: RecordValue | undefined): value is string[] {
  return Array.isArray(value) && value.length <= NAMES_MAX && value.every((one) => typeof one === "string")
}

function isMaybeText(value: RecordValue | undefined): value is string | null {
  return value === null || typeof value === "string"
}
