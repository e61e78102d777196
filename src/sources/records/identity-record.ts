/** A registration in a register of federal identifiers. All registers use this form, so that one comparison works for all of them. */
import type { RecordValue } from "./register-adapter.ts"

// A type, not an interface: only a type alias is assignable to the stored type of a register.
export type IdentityRecord = {
  /** The registered legal name first, then the register's own transliterations of it. */
  legal_names: string[]
  /** Trading and former names. They belong to the same registration, but none of them is its legal name. */
  other_names: string[]
  /** The register's own status text; null if it has none. */
  status: string | null
  /** Whether the status states that the registration is current; null if the register has no such status. */
  is_current: boolean | null
  /** `YYYY-MM-DD`. */
  expires: string | null
  /** ISO 3166-1 alpha-2 code of the legal seat, if the publisher's text could be mapped. */
  country: string | null
}

/** Maximum number of names of one registration, and maximum name length. A decision compares all of them. */
export const NAMES_MAX = 32
export const NAME_LENGTH_MAX = 500

/** Returns null for a value that no register of this release can have stored. */
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
