/**
 * CNPJ, the number of a Brazilian legal entity: twelve characters `0-9A-Z` and two check digits (modulo 11). Numbers issued before July 2026
 * have digits only. A check of the digits proves the number, and not that anybody has it.
 */
export interface Cnpj {
  /** Fourteen characters without punctuation. */
  readonly value: string
  readonly format: "NUMERIC" | "ALPHANUMERIC"
}

/** `SHAPE`: not a CNPJ at all. `CHECK_DIGITS`: the last two digits do not belong to the twelve characters. */
export type CnpjFault = "SHAPE" | "CHECK_DIGITS"

const BARE = /^[0-9A-Z]{12}[0-9]{2}$/
const PUNCTUATED = /^[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}-[0-9]{2}$/
const REPEATED = /^(.)\1{11}/
/** Weights of the second digit. The first digit has the same without the first weight. */
const WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
const ZERO = "0".charCodeAt(0)

/** Returns the number, or the first fault of the text. Twelve equal characters are no number of an entity. */
export function checkCnpj(text: string): Cnpj | CnpjFault {
  if (!BARE.test(text) && !PUNCTUATED.test(text)) return "SHAPE"
  const value = text.replace(/[./-]/g, "")
  if (REPEATED.test(value)) return "SHAPE"
  const base = value.slice(0, 12)
  const first = checkDigit(base)
  if (value.slice(12) !== first + checkDigit(base + first)) return "CHECK_DIGITS"
  return { value, format: /^[0-9]+$/.test(value) ? "NUMERIC" : "ALPHANUMERIC" }
}

/** A character counts as its ASCII code minus 48. Remainders 0 and 1 give the digit 0. */
function checkDigit(characters: string): string {
  const weights = WEIGHTS.slice(-characters.length)
  const sum = weights.reduce((total, weight, i) => total + weight * (characters.charCodeAt(i) - ZERO), 0)
  const remainder = sum % 11
  return String(remainder < 2 ? 0 : 11 - remainder)
}
