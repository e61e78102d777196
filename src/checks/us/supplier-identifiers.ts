/**
 * The accepted federal identifiers and what a check of each proves: an LEI has check digits, the others have only a format (rulings 50). No
 * open federal register publishes EINs, so an EIN alone identifies nobody.
 */
import type { SupplierIdentifiers } from "../../../schemas/us/payment-decision.ts"
import { foldCase } from "../../core/text/fold-case.ts"

export type IdentifierKind = "lei" | "uei" | "cage" | "cik" | "ein"

export interface CheckedIdentifier {
  readonly kind: IdentifierKind
  /** Upper case, CIK padded to ten digits, EIN without its hyphen. */
  readonly value: string
  readonly assurance: "CHECK_DIGITS_VALID" | "FORMAT_ONLY"
}

interface CheckedIdentifiers {
  /** Strongest first. */
  readonly identifiers: readonly CheckedIdentifier[]
  /** Names of identifiers whose value fails its check. */
  readonly invalid: readonly string[]
  /** Names that equal another name without regard to case. */
  readonly repeated: readonly string[]
  /** Names that the service does not know, in order. Their values are stored and digested with the request. */
  readonly unused: readonly string[]
  /** For example `lei:…`. Null if only an EIN, or nothing, is valid. Suppliers are keyed by it (rulings 45). */
  readonly supplierKey: string | null
}

/**
 * CHOICE: the order of strength is check digits first, then the identifiers that SAM assigns to one registration (UEI, CAGE), then the
 * SEC's filer number.
 */
const KINDS: Readonly<Record<IdentifierKind, (value: string) => string | null>> = {
  lei: (value) => (isLei(value) ? value : null),
  // SAM: twelve characters without the letters O and I; the first is not zero.
  uei: (value) => matching(value, /^[1-9A-HJ-NP-Z][0-9A-HJ-NP-Z]{11}$/),
  cage: (value) => matching(value, /^[0-9A-HJ-NP-Z]{5}$/),
  cik: (value) => (/^\d{1,10}$/.test(value) && !/^0+$/.test(value) ? value.padStart(10, "0") : null),
  ein: (value) => (/^\d{2}-?\d{7}$/.test(value) ? value.replace("-", "") : null),
}

export const isIdentifierKind = (name: string): name is IdentifierKind => Object.hasOwn(KINDS, name)

/** Returns the value as suppliers are keyed by it: upper case, CIK padded to ten digits, EIN without its hyphen. Null if it is impossible. */
export function readIdentifier(kind: IdentifierKind, value: string): string | null {
  return KINDS[kind](value.toUpperCase())
}

/** Describes a valid value of each identifier. */
export const IDENTIFIER_FORMS: Readonly<Record<IdentifierKind, string>> = {
  lei: "20 letters and digits with the check digits of ISO 17442",
  uei: "12 letters and digits of SAM, without O and I, the first not 0",
  cage: "5 letters and digits, without O and I",
  cik: "1 to 10 digits, not all 0",
  ein: "9 digits, a hyphen after the second allowed",
}

/**
 * CHOICE: names are matched without regard to case, because `LEI` and `lei` mean the same to the sender. Two names must not be equal
 * without regard to case.
 */
export function checkSupplierIdentifiers(given: SupplierIdentifiers): CheckedIdentifiers {
  const names = Object.keys(given).sort()
  const folded = new Map<string, string>()
  const repeated: string[] = []
  for (const name of names) {
    const plain = foldCase(name)
    if (folded.has(plain)) repeated.push(name)
    else folded.set(plain, name)
  }
  const identifiers: CheckedIdentifier[] = []
  const invalid: string[] = []
  for (const kind of Object.keys(KINDS) as IdentifierKind[]) {
    const name = folded.get(kind)
    if (name === undefined) continue
    const value = readIdentifier(kind, given[name] ?? "")
    if (value === null) invalid.push(name)
    else identifiers.push({ kind, value, assurance: assuranceOf(kind) })
  }
  const strongest = identifiers.find(({ kind }) => kind !== "ein")
  return {
    identifiers,
    invalid,
    repeated,
    unused: names.filter((name) => !Object.hasOwn(KINDS, foldCase(name))),
    supplierKey: strongest ? identifierKey(strongest) : null,
  }
}

/** Returns `IDENTIFIER_NOT_USED:<name>` for each name that the service does not know. */
export function unusedIdentifierLimitations(given: SupplierIdentifiers): string[] {
  return checkSupplierIdentifiers(given).unused.map((name) => `IDENTIFIER_NOT_USED:${percentEncoded(name)}`)
}

/** Percent-encodes the UTF-8 bytes of the name outside `[A-Za-z0-9._-]`. */
function percentEncoded(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function assuranceOf(kind: IdentifierKind): CheckedIdentifier["assurance"] {
  return kind === "lei" ? "CHECK_DIGITS_VALID" : "FORMAT_ONLY"
}

export function identifierKey({ kind, value }: Pick<CheckedIdentifier, "kind" | "value">): string {
  return `${kind}:${value}`
}

/** Returns a key such as `lei:…` for every valid identifier, strongest first. */
export function identifierKeys(given: SupplierIdentifiers): readonly string[] {
  return checkSupplierIdentifiers(given).identifiers.map(identifierKey)
}

/** Returns the identifiers of keys that {@link identifierKey} made, strongest first. */
export function identifiersOfKeys(keys: readonly string[]): CheckedIdentifier[] {
  const strength = Object.keys(KINDS)
  return keys
    .map((key): CheckedIdentifier => {
      const [kind = "", value = ""] = key.split(":")
      if (!isIdentifierKind(kind)) throw new TypeError("not a key of an identifier")
      return { kind, value, assurance: assuranceOf(kind) }
    })
    .sort((one, other) => strength.indexOf(one.kind) - strength.indexOf(other.kind))
}

/**
 * True if both sets identify one supplier. CHOICE: one equal identifier is enough, even an EIN. A buyer who repeats an obligation with one
 * identifier more or fewer still names the same supplier.
 */
export function shareIdentifier(one: SupplierIdentifiers, other: SupplierIdentifiers): boolean {
  const keys = identifierKeys(one)
  return identifierKeys(other).some((key) => keys.includes(key))
}

function matching(value: string, pattern: RegExp): string | null {
  return pattern.test(value) ? value : null
}

/** ISO 17442 with ISO 7064 MOD 97-10 check digits: letters count 10 to 35, and the whole number leaves 1. */
export function isLei(value: string): boolean {
  if (!/^[0-9A-Z]{18}\d{2}$/.test(value)) return false
  let remainder = 0
  for (const character of value) {
    const digit = Number.parseInt(character, 36)
    remainder = (remainder * (digit > 9 ? 100 : 10) + digit) % 97
  }
  return remainder === 1
}
