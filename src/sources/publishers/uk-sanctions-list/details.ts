/** The details of one designation, collected from all rows of its Unique ID. */
import type { EntryDetails } from "../../../../schemas/entry-details.ts"
import { ukLink } from "../../../catalogue/publisher-pages.ts"
import type { DetailRows } from "../../details/detail-rows.ts"
import { EntryBuilder, noted } from "../../details/entry-builder.ts"
import type { UK_COLUMNS } from "./columns.ts"

type Key = keyof typeof UK_COLUMNS

/** Columns whose text is kept under their name. */
const LABELLED = [
  ["ofsiGroupId", "references"],
  ["unReference", "references"],
  ["otherInformation", "remarks"],
  ["statementOfReasons", "remarks"],
  ["phone", "contacts"],
  ["website", "contacts"],
  ["email", "contacts"],
  ["parentCompany", "linked_to"],
  ["subsidiaries", "linked_to"],
  ["currentOwners", "linked_to"],
  ["previousOwners", "linked_to"],
  ["flag", "vessel"],
  ["previousFlags", "vessel"],
  ["shipType", "vessel"],
  ["tonnage", "vessel"],
  ["length", "vessel"],
  ["yearBuilt", "vessel"],
  ["hullNumber", "vessel"],
] as const satisfies readonly (readonly [Key, string])[]

/** Each column of a document's number, and the one with further information about it. */
const DOCUMENTS = [
  ["passport", "passportInformation"],
  ["nationalId", "nationalIdInformation"],
  ["registration", null],
  ["imo", null],
] as const satisfies readonly (readonly [Key, Key | null])[]

const NAME = ["name1", "name2", "name3", "name4", "name5", "name6"] as const
const ADDRESS = ["address1", "address2", "address3", "address4", "address5", "address6"] as const

export class UkDetails {
  readonly #entry: EntryBuilder
  #type = ""

  constructor(private readonly id: string) {
    this.#entry = new EntryBuilder("UK_SANCTIONS_LIST", id)
  }

  add(row: DetailRows<Key>): void {
    const entry = this.#entry
    const id = row.take("uniqueId")
    if (id !== this.id) entry.labelled("references", row.label("uniqueId"), id)
    this.#addNames(row)
    const type = row.take("designationType")
    this.#type ||= type
    entry.text("type", type)
    entry.text("programs", row.take("regime"))
    for (const text of row.take("sanctions").split("|")) entry.labelled("measures", row.label("sanctions"), text.trim())
    for (const [key, member] of LABELLED) entry.labelled(member, row.label(key), row.take(key))
    entry.text("title", row.take("title"))
    entry.text("title", row.take("position"))
    entry.text("gender", row.take("gender"))
    entry.printed("births", row.take("birthDate"))
    entry.printed("nationalities", row.take("nationality"))
    entry.printed("birth_places", joined([row.take("birthTown"), row.take("birthCountry")], ", "))
    const place = [...ADDRESS, "postalCode", "addressCountry"] as const
    entry.printed(
      "addresses",
      joined(
        place.map((key) => row.take(key)),
        ", ",
      ),
    )
    for (const [key, further] of DOCUMENTS) addDocument(entry, row, key, further)
    entry.listing("from", row.take("designated"))
    entry.listing("updated", row.take("lastUpdated"))
    entry.listing("by", row.take("designationSource"))
    entry.record(row.rest())
  }

  build(): EntryDetails {
    return this.#entry.build(ukLink(this.id, this.#type))
  }

  #addNames(row: DetailRows<Key>): void {
    const type = row.take("nameType")
    const strength = row.take("aliasStrength")
    const note = joined([type, strength], ", ")
    const text = joined(
      NAME.map((key) => row.take(key)),
      " ",
    )
    const native = row.take("nativeName")
    const script = joined([row.take("nativeScript"), row.take("nativeLanguage")], ", ")
    const isPrimary = type.toLowerCase() === "primary name"
    const quality = /^low\b/i.test(strength) ? "WEAK" : /^good\b/i.test(strength) ? "STRONG" : "NOT_STATED"
    this.#entry.name(noted({ text, kind: isPrimary ? "primary" : "alias", quality }, "", note))
    this.#entry.name(noted({ text: native, kind: "native", quality: "NOT_STATED" }, "", script))
    // Without a name there is nothing that these words could be a note of.
    if (text === "") this.#entry.labelled("references", row.label("nameType"), note)
    if (native === "") this.#entry.labelled("references", row.label("nativeScript"), script)
  }
}

function addDocument(entry: EntryBuilder, row: DetailRows<Key>, key: Key, further: Key | null): void {
  const value = row.take(key)
  const note = further === null ? "" : row.take(further)
  if (value === "" && further !== null) entry.labelled("references", row.label(further), note)
  entry.identifier(noted({ label: row.label(key), value }, "", note))
}

function joined(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text !== "").join(separator)
}
