/** One row of the public exclusions extract, and its columns since 2020. */

import type { ColumnSpec } from "../../records/columns.ts"
import { countryOfAlpha3 } from "../../records/country-codes.ts"
import type { Measure, Party, PartyIdentifier, PartyName, PartyType } from "../../records/party.ts"

const column = (name: string, ...earlier: string[]): ColumnSpec => ({ names: [name, ...earlier], required: true })

export const SAM_COLUMNS = {
  classification: column("Classification"),
  name: column("Name"),
  prefix: column("Prefix"),
  first: column("First"),
  middle: column("Middle"),
  last: column("Last"),
  suffix: column("Suffix"),
  address1: column("Address 1"),
  address2: column("Address 2"),
  address3: column("Address 3"),
  address4: column("Address 4"),
  city: column("City"),
  state: column("State / Province"),
  country: column("Country"),
  zip: column("Zip Code"),
  // These three columns were renamed when DUNS numbers ended in April 2022.
  openData: column("Open Data Flag", "D&B Open Data Flag"),
  duns: column("Blank (Deprecated)", "Unique Entity Identifier (DUNS)"),
  uei: column("Unique Entity ID", "Unique Entity Identifier (SAM)"),
  program: column("Exclusion Program"),
  agency: column("Excluding Agency"),
  ctCode: column("CT Code"),
  exclusionType: column("Exclusion Type"),
  comments: column("Additional Comments"),
  activeDate: column("Active Date"),
  terminationDate: column("Termination Date"),
  status: column("Record Status"),
  crossReference: column("Cross-Reference"),
  samNumber: column("SAM Number"),
  cage: column("CAGE"),
  npi: column("NPI"),
  created: column("Creation_Date"),
} as const satisfies Record<string, ColumnSpec>

export type SamRecord = (key: keyof typeof SAM_COLUMNS) => string

const CLASSIFICATIONS: Readonly<Record<string, PartyType>> = {
  Individual: "person",
  Firm: "org",
  "Special Entity Designation": "org",
  Vessel: "vessel",
}

/** Returns null for a classification that this extract has not used so far. */
export function samType(classification: string): PartyType | null {
  return CLASSIFICATIONS[classification] ?? null
}

/**
 * CHOICE: a completed debarment and a prohibition hold for review. A proposed debarment or suspension and a voluntary exclusion only add a
 * condition. None of them forbids a private payment (2 CFR 180), so none can block.
 */
const MEASURE_OF_TYPE: Readonly<Record<string, Measure>> = {
  "Ineligible (Proceedings Completed)": "hold",
  "Prohibition/Restriction": "hold",
  "Ineligible (Proceedings Pending)": "condition",
  "Voluntary Exclusion": "condition",
}

/** Returns null for an exclusion type that this extract has not used so far. */
export function samMeasure(exclusionType: string): Measure | null {
  return MEASURE_OF_TYPE[exclusionType] ?? null
}

/** As GSA writes the agency of OFAC. */
export const OFAC_AGENCY = "TREAS-OFAC"

/**
 * Rows of this agency repeat OFAC's list and remain after OFAC removed the entry. So they are counted and left out, and never cause a hit.
 * OFAC's list is screened from OFAC's own file.
 */
export function repeatsOfac(record: SamRecord): boolean {
  return record("agency") === OFAC_AGENCY
}

/** GSA prints each additional address of an entry as a row with its name and number, without exclusion data. */
export function isFurtherAddress(record: SamRecord): boolean {
  return record("classification") === "" && record("agency") === "" && record("exclusionType") === ""
}

export function samName(record: SamRecord): string {
  const name = record("name")
  return name !== "" ? name : joined(record, " ", "first", "middle", "last", "suffix")
}

export function samParty(record: SamRecord, entryId: string, line: Party["line"]): Party {
  const place = joined(record, ", ", "address1", "address2", "address3", "address4", "city", "state", "zip")
  // State XX means "unknown" and comes with country USA, whatever the real country is.
  const country = record("state") === "XX" ? null : countryOfAlpha3(record("country"))
  const name = samName(record)
  const validFrom = isoDay(record("activeDate"))
  const validTo = isoDay(record("terminationDate"))
  return {
    sourceId: "US_SAM_EXCLUSIONS",
    entryId,
    type: samType(record("classification")) ?? "unknown",
    list: "SAM",
    programs: [joined(record, " ", "agency", "ctCode", "program", "exclusionType")].filter((text) => text !== ""),
    measure: samMeasure(record("exclusionType")) ?? "hold",
    names: [{ text: name, kind: "primary" }, ...crossReferences(record("crossReference"), name)],
    identifiers: identifiersOf(record),
    birthDates: [],
    countries: country ? [country] : [],
    addresses: place === "" ? [] : [[place, record("country")].filter((part) => part !== "").join(", ")],
    line,
    ...(validFrom ? { validFrom } : {}),
    ...(validTo ? { validTo } : {}),
  }
}

function joined(record: SamRecord, separator: string, ...keys: (keyof typeof SAM_COLUMNS)[]): string {
  return keys
    .map(record)
    .filter((text) => text !== "")
    .join(separator)
}

/** Legal forms that follow a comma inside one name. */
const LEGAL_FORM =
  /^(?:INC|LLC|L\.L\.C|LTD|JR|SR|CORP|CO|JSC|OOO|OAO|PC|PA|PLLC|LP|LLP|S\.?A|GMBH|II|III|MD|DDS|DO)\.?$/i

/** `(also A, B, LTD., C)`: the publisher separates aliases by a comma, which also occurs inside names. */
export function crossReferences(text: string, primary: string): PartyName[] {
  const inner = /^\(also (.+)\)$/.exec(text)?.[1]
  if (inner === undefined) return []
  const names: string[] = []
  for (const part of inner.split(", ")) {
    const last = names.length - 1
    if (LEGAL_FORM.test(part) && last >= 0) names[last] = `${names[last]}, ${part}`
    else if (part.trim() !== "") names.push(part.trim())
  }
  const others = new Set(names.filter((name) => name !== primary))
  return [...others].map((name) => ({ text: name, kind: "aka" }))
}

const FORMS = {
  uei: /^[A-Z0-9]{12}$/,
  cage: /^[A-Z0-9]{5}$/,
  npi: /^(?!0{10})\d{10}$/,
} as const

/** Returns null for a value that has not the form of its scheme. */
export function samIdentifier(record: SamRecord, scheme: keyof typeof FORMS): PartyIdentifier | null {
  const value = record(scheme)
  return FORMS[scheme].test(value) ? { scheme, value } : null
}

function identifiersOf(record: SamRecord): PartyIdentifier[] {
  return (["uei", "cage", "npi"] as const).flatMap((scheme) => samIdentifier(record, scheme) ?? [])
}

/** Converts `MM/DD/YYYY`; null for `Indefinite` and for an empty text. */
function isoDay(text: string): string | null {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? []
  return month && day && year ? `${year}-${month}-${day}` : null
}
