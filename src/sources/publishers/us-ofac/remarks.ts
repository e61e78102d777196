/**
 * Parses the Remarks column. It holds what has no column: dates of birth, nationalities, documents, wallets, and the weak aliases, which
 * are not in alt.csv (dataspec, "The disposition of aliases").
 */

import { countryOfName } from "../../records/country-codes.ts"
import { identifierOf, splitLabel } from "../../records/identifier-scheme.ts"
import type { PartyIdentifier, PartyName, PartyType } from "../../records/party.ts"
import { NOT_COUNTED, type WordCounts } from "../../records/publisher-words.ts"
import { countRemark, countRemarks } from "./words.ts"

interface Remarks {
  readonly weakAliases: readonly PartyName[]
  readonly birthDates: readonly string[]
  /** Alpha-2 codes of nationality, citizenship and registration. */
  readonly countries: readonly string[]
  readonly identifiers: readonly PartyIdentifier[]
}

const NOTHING: Remarks = { weakAliases: [], birthDates: [], countries: [], identifiers: [] }

const WEAK_ALIAS = /^[afn]\.k\.a\. '(.+)'$/
const BIRTH = /^DOB (.+)$/
const COUNTRY = /^(?:nationality|citizen|Nationality of Registration) (.+)$/
const ISSUING_COUNTRY = / \(([^()]+)\)(?= (?:issued|expires) |$)/
const VALIDITY = / (?:issued|expires) .*$/

/** `text` is the whole remark, already joined with its continuation from the comments file; empty if there is none. */
export function readRemarks(text: string, type: PartyType, words: WordCounts = NOT_COUNTED): Remarks {
  if (text === "") return NOTHING
  countRemarks(words, text)
  const weakAliases: PartyName[] = []
  const birthDates: string[] = []
  const countries: string[] = []
  const identifiers: PartyIdentifier[] = []
  for (const raw of (text.endsWith(".") ? text.slice(0, -1) : text).split(";")) {
    const item = raw.trim().replace(/^alt\. /, "")
    const alias = WEAK_ALIAS.exec(item)?.[1]
    if (alias) weakAliases.push({ text: alias, kind: "weak" })
    const birth = BIRTH.exec(item)?.[1]
    if (birth) birthDates.push(birth)
    const country = countryOfName(COUNTRY.exec(item)?.[1] ?? "")
    if (country) countries.push(country)
    const identifier = readIdentifier(item, type)
    if (identifier) identifiers.push(identifier)
    countRemark(words, item, identifier === null ? null : identifier.scheme !== "other")
  }
  return { weakAliases, birthDates, countries, identifiers }
}

/** `Passport FL390461 (Ukraine) expires 31 Jan 2028`. */
function readIdentifier(item: string, type: PartyType): PartyIdentifier | null {
  const split = splitLabel(item)
  if (!split) return null
  const country = ISSUING_COUNTRY.exec(split.rest)?.[1]
  const value = split.rest.replace(VALIDITY, "").replace(/ \([^()]*\)$/, "")
  return identifierOf(split.label, value, country ? countryOfName(country) : null, type)
}
