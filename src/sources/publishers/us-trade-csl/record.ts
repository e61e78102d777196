/** One row of consolidated.csv as a party. */

import { digestBytes } from "../../../core/digest.ts"
import type { ColumnSpec } from "../../records/columns.ts"
import { countryOfName, isAlpha2 } from "../../records/country-codes.ts"
import { identifierOf } from "../../records/identifier-scheme.ts"
import type { Measure, Party, PartyIdentifier, PartyName, PartyType } from "../../records/party.ts"
import type { WordCounts } from "../../records/publisher-words.ts"

const column = (name: string, required = true): ColumnSpec => ({ names: [name], required })

export const CSL_COLUMNS = {
  // Since 2022. The older file has 28 columns without it.
  id: column("_id", false),
  source: column("source"),
  entityNumber: column("entity_number"),
  type: column("type"),
  programs: column("programs"),
  name: column("name"),
  title: column("title", false),
  addresses: column("addresses"),
  notice: column("federal_register_notice"),
  startDate: column("start_date"),
  endDate: column("end_date"),
  standardOrder: column("standard_order", false),
  licenseRequirement: column("license_requirement", false),
  licensePolicy: column("license_policy", false),
  callSign: column("call_sign", false),
  vesselType: column("vessel_type", false),
  grossTonnage: column("gross_tonnage", false),
  grossRegisteredTonnage: column("gross_registered_tonnage", false),
  vesselFlag: column("vessel_flag", false),
  vesselOwner: column("vessel_owner", false),
  remarks: column("remarks", false),
  listUrl: column("source_list_url", false),
  altNames: column("alt_names"),
  citizenships: column("citizenships"),
  birthDates: column("dates_of_birth"),
  nationalities: column("nationalities"),
  birthPlaces: column("places_of_birth", false),
  informationUrl: column("source_information_url", false),
  ids: column("ids"),
} as const satisfies Record<string, ColumnSpec>

export type CslRecord = (key: keyof typeof CSL_COLUMNS) => string

const TYPES: Readonly<Record<string, PartyType>> = {
  "": "unknown",
  individual: "person",
  entity: "org",
  vessel: "vessel",
  aircraft: "aircraft",
}

/** Returns null for a type that this list has not used so far. */
export function cslType(text: string): PartyType | null {
  return TYPES[text.toLowerCase()] ?? null
}

/** BIS appends this text to names. It describes the scope of the order and is not part of a name. */
const REACH = /,? and any successors?,? sub-?units?,?(?: or)? subsidiar(?:y|ies) thereof\.?$/i

export function cslParty(
  record: CslRecord,
  list: { code: string; measure: Measure },
  line: Party["line"],
  words: WordCounts,
): Party {
  const type = cslType(record("type")) ?? "unknown"
  const addresses = items(record("addresses"))
  const countries = [
    ...addresses.flatMap(addressCountry),
    ...[...items(record("citizenships")), ...items(record("nationalities"))].flatMap(countryCode),
  ]
  const party = {
    sourceId: "US_TRADE_CSL",
    entryId: record("id") || derivedId(record, list.code),
    type,
    list: list.code,
    programs: items(record("programs")),
    measure: list.measure,
    names: [{ text: record("name").replace(REACH, ""), kind: "primary" }, ...items(record("altNames")).map(aliasOf)],
    identifiers: items(record("ids")).flatMap((text) => countedIdentifier(text, type, words)),
    birthDates: items(record("birthDates")),
    countries: [...new Set(countries)],
    addresses,
    line,
  } as const satisfies Party
  const validFrom = isoDay(record("startDate"))
  const validTo = isoDay(record("endDate"))
  return { ...party, ...(validFrom ? { validFrom } : {}), ...(validTo ? { validTo } : {}) }
}

/** The older file has no key for these rows. Equal rows of two publications must get equal keys, so the key is derived from the row. */
function derivedId(record: CslRecord, code: string): string {
  const identity = [record("source"), record("name"), record("addresses"), record("notice"), record("startDate")]
  return `${code}:${digestBytes(identity.join("\n")).slice("sha256:".length, "sha256:".length + 16)}`
}

/** Returns the texts of a cell that holds several, separated by `;`. */
export function items(text: string): string[] {
  return text
    .split(";")
    .map((item) => item.trim())
    .filter((item) => item !== "")
}

/** `and Shijiazhuang ... Institute` ends an enumeration; `f.k.a., X` is a former name. */
function aliasOf(item: string): PartyName {
  const text = item.replace(/^and /, "")
  const former = /^f\.k\.a\.?,? (.+)$/i.exec(text)?.[1]
  if (former) return { text: former, kind: "fka" }
  return { text: text.replace(/^a\.k\.a\.?,? /i, ""), kind: "aka" }
}

/** An address ends with its country code, or consists of it. */
function addressCountry(address: string): string[] {
  const last = address.slice(address.lastIndexOf(",") + 1).trim()
  return isAlpha2(last) ? [last] : []
}

function countryCode(text: string): string[] {
  if (isAlpha2(text)) return [text]
  const code = countryOfName(text)
  return code ? [code] : []
}

function countedIdentifier(text: string, type: PartyType, words: WordCounts): PartyIdentifier[] {
  const read = cslIdentifier(text, type)
  words.addIdentifier(
    "documents",
    text,
    read.some(({ scheme }) => scheme !== "other"),
  )
  return read
}

/** Parses `US, 80-0890696, Tax ID No.`: country if known, value, label. */
function cslIdentifier(text: string, type: PartyType): PartyIdentifier[] {
  const parts = text.split(", ")
  const label = parts.pop() ?? ""
  const country = parts.length > 1 && isAlpha2(parts[0] ?? "") ? (parts.shift() ?? null) : null
  const identifier = identifierOf(label, parts.join(", "), country, type)
  return identifier ? [identifier] : []
}

function isoDay(text: string): string | null {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null
}
