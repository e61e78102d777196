/**
 * Extracts numbers from the list's free text. An equal registration or tax number can block a payment, so only a certain number of a known
 * kind gets such a scheme. Everything else is kept as `other`, as printed, and matches nothing.
 */

import type { PartyIdentifier, PartyType } from "../../records/party.ts"
import { ukCountry } from "./countries.ts"
import { DASHES, SCHEME_OF_LABEL, withPlainLabels } from "./registration-labels.ts"

/** A label and its number. `before` is the class of characters that must not precede the label, `after` what may follow the number. */
const labelled = (before: string, after: string) =>
  new RegExp(
    `(?<!${before})(${Object.keys(SCHEME_OF_LABEL).join("|")})(?: (?:number|no\\.?))?\\s*[:#-]?\\s*([A-Z0-9][A-Z0-9-]{4,24})(?![A-Z0-9-])${after}`,
    "gi",
  )
/** With the country in brackets after the number, if there is one. */
const LABELLED = labelled("[A-Z0-9]", "(?=(?: ?\\(([^()]+)\\))?)")
const EARLIER_LABELLED = labelled("[A-Z]", "")

/** `Kuwait, number 260012001546`. */
const NUMBERED = /^(?:([^,\d]+), )?(?:number|no\.?):? (\S*\d\S*)$/i
/** `Company number: 123 456 (Russia)`: label, number, country. */
const PLAIN =
  /^(?:([^:\d]{1,60}):\s*)?([A-Z]{0,4}[ -]?\d(?:[ ./-]?\d){2,30}[A-Z]{0,3}|(?=[A-Z]*\d)[A-Z\d]{5,30})(?: ?\(([^()]+)\))?$/i
const DAY = /^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/
const TAX_WORDS = /\b(?:tax|vat|fiscal)\b/i
const REGISTER_WORDS = /\b(?:regist\w*|compan\w*|incorporat\w*|commerc\w*|licen[cs]e|trade|business)\b/i
const LEI_FORM = /^[A-Z0-9]{18}\d{2}$/
const IMO_FORM = /(?<!\d)\d{7}(?!\d)/g

/**
 * Published as `IMO9562233` and as `9562233`. Only for a ship: a company's IMO number belongs to another series with the same number of
 * digits.
 */
export function imoNumbers(text: string, type: PartyType): readonly PartyIdentifier[] {
  const numbers = text.match(IMO_FORM) ?? []
  if (type === "vessel" && numbers.length > 0) return numbers.map((value) => ({ scheme: "imo", value }))
  return numbered(text).map((value) => ({ scheme: "other", value }))
}

export function documentNumbers(scheme: "passport" | "national-id", text: string): readonly PartyIdentifier[] {
  return numbered(text).map((piece) => {
    const [, place = "", value = piece] = NUMBERED.exec(piece) ?? []
    return identifier(scheme, value, ukCountry(place))
  })
}

/** Reads one cell of registration numbers. */
export type ReadRegistrations = (text: string) => readonly PartyIdentifier[]

export const registrationNumbers: ReadRegistrations = (text) => numbered(text).flatMap(registrationsIn)

/** As `uk-sanctions-list/1.0.1` read them. */
export const earlierRegistrationNumbers: ReadRegistrations = (text) =>
  numbered(text).flatMap((piece) => labelledNumbers(piece, EARLIER_LABELLED) ?? [registrationOf(piece)])

/** A number of an unknown kind matches nothing. */
export const isCertain = ({ scheme }: PartyIdentifier): boolean => scheme !== "other"

/** Reads the numbers after labels; without a label one number, or a series of numbers. */
function registrationsIn(piece: string): readonly PartyIdentifier[] {
  const found = labelledNumbers(withPlainLabels(piece), LABELLED)
  if (found) return found
  const whole = registrationOf(piece.replace(DASHES, "-"))
  if (isCertain(whole)) return [whole]
  const series = piece.split(/,|&|\/|\band\b/).map((part) => registrationOf(part.trim()))
  return series.length > 1 && series.every(isCertain) ? series : [registrationOf(piece)]
}

/** Returns null if no label has a number. */
function labelledNumbers(text: string, pattern: RegExp): readonly PartyIdentifier[] | null {
  const found = [...text.matchAll(pattern)].filter(([, , value = ""]) => /\d/.test(value))
  if (found.length === 0) return null
  return found.map(([, label = "", value = "", place = ""]) =>
    identifier(schemeOf(label.toUpperCase(), value), value, ukCountry(place)),
  )
}

function schemeOf(label: string, value: string): string {
  const scheme = SCHEME_OF_LABEL[label] ?? "other"
  return scheme === "lei" && !LEI_FORM.test(value) ? "other" : scheme
}

function registrationOf(piece: string): PartyIdentifier {
  const [, label, value = "", place = ""] = PLAIN.exec(piece) ?? []
  const isTax = label !== undefined && TAX_WORDS.test(label)
  const isKnown = label === undefined || isTax || REGISTER_WORDS.test(label)
  if (value === "" || DAY.test(value) || !isKnown) return { scheme: "other", value: piece }
  return identifier(isTax ? "tax" : "registration", value, ukCountry(place))
}

/** Returns the parts of a cell that contain a digit. A document without a number identifies nobody. */
function numbered(text: string): readonly string[] {
  return text
    .split(/[;|\n]/)
    .map((piece) => piece.replace(/\s+/g, " ").trim())
    .filter((piece) => /\d/.test(piece))
}

function identifier(scheme: string, value: string, country: string | null): PartyIdentifier {
  return country === null ? { scheme, value } : { scheme, value, country }
}
