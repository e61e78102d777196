/**
 * Extracts numbers from the list's free text. An equal registration or tax number can block a payment, so only a certain number of a known
 * kind gets such a scheme. Everything else is kept as `other`, as printed, and matches nothing.
 */

import type { PartyIdentifier, PartyType } from "../../records/party.ts"
import { ukCountry } from "./countries.ts"

/** The registers' own abbreviations. KPP is not here: it is a tax office code that branches and unrelated companies share. */
const SCHEME_OF_LABEL: Readonly<Record<string, string>> = {
  INN: "tax",
  TIN: "tax",
  UNP: "tax",
  VAT: "tax",
  OGRN: "registration",
  OGRNIP: "registration",
  OKPO: "registration",
  BIN: "registration",
  USCC: "registration",
  LEI: "lei",
  KPP: "other",
}

const LABELLED = new RegExp(
  `(?<![A-Z])(${Object.keys(SCHEME_OF_LABEL).join("|")})(?: (?:number|no\\.?))?\\s*[:#-]?\\s*([A-Z0-9][A-Z0-9-]{4,24})(?![A-Z0-9-])`,
  "gi",
)

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

export function registrationNumbers(text: string): readonly PartyIdentifier[] {
  return numbered(text).flatMap((piece) => {
    const labelled = [...piece.matchAll(LABELLED)].filter(([, , value = ""]) => /\d/.test(value))
    if (labelled.length === 0) return [registrationOf(piece)]
    return labelled.map(([, label = "", value = ""]) => identifier(schemeOf(label.toUpperCase(), value), value, null))
  })
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
