/**
 * Which federal identifiers are accepted and what looking at one proves: an LEI carries check digits, the others only a format
 * (rulings 50). No open federal register exposes an EIN, so an EIN alone identifies nobody.
 */
import type { SupplierIdentifiers } from "../../schemas/us/payment-decision.ts"

export type IdentifierKind = "lei" | "uei" | "cage" | "cik" | "ein"

export interface CheckedIdentifier {
  readonly kind: IdentifierKind
  /** Upper case, CIK padded to ten digits, EIN without its hyphen. */
  readonly value: string
  readonly assurance: "CHECK_DIGITS_VALID" | "FORMAT_ONLY"
}

export interface CheckedIdentifiers {
  /** Strongest first. */
  readonly identifiers: readonly CheckedIdentifier[]
  /** Names we do not know, and those whose value fails its check. */
  readonly faults: readonly string[]
  /** `lei:…` and the like; null when nothing but an EIN, or nothing at all, is valid. Suppliers are keyed by it (rulings 45). */
  readonly supplierKey: string | null
}

/** CHOICE: strongest first is check digits, then what SAM assigns to one registration (UEI, CAGE), then the SEC's filer number. */
const KINDS: Readonly<Record<IdentifierKind, (value: string) => string | null>> = {
  lei: (value) => (isLei(value) ? value : null),
  // SAM: twelve characters, no letters O or I, first one not zero.
  uei: (value) => matching(value, /^[1-9A-HJ-NP-Z][0-9A-HJ-NP-Z]{11}$/),
  cage: (value) => matching(value, /^[0-9A-HJ-NP-Z]{5}$/),
  cik: (value) => (/^\d{1,10}$/.test(value) && !/^0+$/.test(value) ? value.padStart(10, "0") : null),
  ein: (value) => (/^\d{2}-?\d{7}$/.test(value) ? value.replace("-", "") : null),
}

export function checkSupplierIdentifiers(given: SupplierIdentifiers): CheckedIdentifiers {
  const identifiers: CheckedIdentifier[] = []
  for (const [kind, normalise] of Object.entries(KINDS) as [IdentifierKind, (value: string) => string | null][]) {
    const value = Object.hasOwn(given, kind) ? normalise((given[kind] ?? "").toUpperCase()) : null
    if (value === null) continue
    identifiers.push({ kind, value, assurance: kind === "lei" ? "CHECK_DIGITS_VALID" : "FORMAT_ONLY" })
  }
  const valid = new Set<string>(identifiers.map(({ kind }) => kind))
  const strongest = identifiers.find(({ kind }) => kind !== "ein")
  return {
    identifiers,
    faults: Object.keys(given).filter((kind) => !valid.has(kind)),
    supplierKey: strongest ? identifierKey(strongest) : null,
  }
}

export function identifierKey({ kind, value }: Pick<CheckedIdentifier, "kind" | "value">): string {
  return `${kind}:${value}`
}

function matching(value: string, pattern: RegExp): string | null {
  return pattern.test(value) ? value : null
}

/** ISO 17442 with the check digits of ISO 7064 MOD 97-10: letters count 10 to 35, the whole number leaves 1. */
export function isLei(value: string): boolean {
  if (!/^[0-9A-Z]{18}\d{2}$/.test(value)) return false
  let remainder = 0
  for (const character of value) {
    const digit = Number.parseInt(character, 36)
    remainder = (remainder * (digit > 9 ? 100 : 10) + digit) % 97
  }
  return remainder === 1
}
