/** The details of one row of consolidated.csv. */
import type { EntryDetails } from "../../../../schemas/entry-details.ts"
import { federalRegisterLink } from "../../../catalogue/publisher-pages.ts"
import type { DetailRows } from "../../details/detail-rows.ts"
import { EntryBuilder } from "../../details/entry-builder.ts"
import { isAlpha2 } from "../../records/country-codes.ts"
import { type CSL_COLUMNS, items } from "./record.ts"

type Key = keyof typeof CSL_COLUMNS

/** Columns whose text is kept under their name. */
const LABELLED = [
  ["standardOrder", "measures"],
  ["licenseRequirement", "measures"],
  ["licensePolicy", "measures"],
  ["callSign", "vessel"],
  ["vesselType", "vessel"],
  ["grossTonnage", "vessel"],
  ["grossRegisteredTonnage", "vessel"],
  ["vesselFlag", "vessel"],
  ["vesselOwner", "linked_to"],
  ["entityNumber", "references"],
  ["notice", "references"],
  ["listUrl", "references"],
  ["informationUrl", "references"],
  ["remarks", "remarks"],
] as const satisfies readonly (readonly [Key, string])[]

/** Columns that hold several texts, separated by `;`. */
const PRINTED = [
  ["addresses", "addresses"],
  ["birthDates", "births"],
  ["birthPlaces", "birth_places"],
  ["nationalities", "nationalities"],
  ["citizenships", "citizenships"],
] as const satisfies readonly (readonly [Key, string])[]

export function cslDetails(row: DetailRows<Key>, entryId: string): EntryDetails {
  const entry = new EntryBuilder("US_TRADE_CSL", entryId)
  const id = row.take("id")
  if (id !== entryId) entry.labelled("references", row.label("id"), id)
  entry.text("list", row.take("source"))
  entry.text("type", row.take("type"))
  for (const program of items(row.take("programs"))) entry.text("programs", program)
  entry.name({ text: row.take("name"), kind: "primary", quality: "NOT_STATED" })
  for (const text of items(row.take("altNames"))) {
    entry.name({ text, kind: /^(?:and )?f\.k\.a/i.test(text) ? "former" : "alias", quality: "NOT_STATED" })
  }
  entry.text("title", row.take("title"))
  const notice = row.take("notice")
  for (const [key, member] of LABELLED) entry.labelled(member, row.label(key), row.take(key))
  for (const [key, member] of PRINTED) for (const text of items(row.take(key))) entry.printed(member, text)
  for (const text of items(row.take("ids"))) addIdentifier(entry, text)
  entry.listing("from", row.take("startDate"))
  entry.listing("until", row.take("endDate"))
  entry.record(row.rest())
  return entry.build(federalRegisterLink(notice))
}

/** `US, 80-0890696, Tax ID No.`: country if known, value, label. */
function addIdentifier(entry: EntryBuilder, text: string): void {
  const parts = text.split(", ")
  const label = parts.pop() ?? ""
  const country = parts.length > 1 && isAlpha2(parts[0] ?? "") ? parts.shift() : undefined
  // A text without a value is kept whole.
  const value = parts.length === 0 ? text : parts.join(", ")
  entry.identifier({ label, value, ...(country !== undefined && { country }) })
}
