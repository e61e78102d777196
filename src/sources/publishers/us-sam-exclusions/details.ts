/** The details of GSA's entries. A party that is excluded several times has one SAM number and several rows: they become one entry. */
import { DetailRows } from "../../details/detail-rows.ts"
import { EntryBuilder } from "../../details/entry-builder.ts"
import type { EmitDetails } from "../../records/adapter.ts"
import type { Columns } from "../../records/columns.ts"
import { crossReferences, type SAM_COLUMNS } from "./record.ts"

type Key = keyof typeof SAM_COLUMNS

const PLACE = ["address1", "address2", "address3", "address4", "city", "state", "zip", "country"] as const
const PARTS_OF_NAME = ["first", "middle", "last", "suffix"] as const
const IDENTIFIERS = ["uei", "cage", "npi", "duns"] as const

/** The cells of one row, as the publisher wrote them. */
type Cells = readonly string[]

/** Collects the rows of each entry while a file is read. */
export class SamDetails {
  #header: Cells = []
  readonly #rows = new Map<string, Cells[]>()

  setHeader(header: Cells): void {
    this.#header = header
  }

  add(entryId: string, cells: Cells): void {
    const rows = this.#rows.get(entryId)
    if (rows) rows.push(cells)
    else this.#rows.set(entryId, [cells])
  }

  /** Emits the entries that are among `entryIds`: those of the parties. */
  emit(at: Columns<Key>["at"], entryIds: Iterable<string>, emit: EmitDetails): void {
    const row = new DetailRows<Key>(this.#header, at)
    for (const entryId of entryIds) {
      const rows = this.#rows.get(entryId) ?? []
      // The rows are many, and nobody needs them again.
      this.#rows.delete(entryId)
      const entry = new EntryBuilder("US_SAM_EXCLUSIONS", entryId)
      for (const cells of rows) {
        row.begin(cells)
        addRow(entry, row, entryId, rows.length > 1)
      }
      if (rows.length > 0) emit(entry.build(null))
    }
  }
}

/** `isJoined`: the entry has several rows, so the record of each tells its own exclusion. */
function addRow(entry: EntryBuilder, row: DetailRows<Key>, entryId: string, isJoined: boolean): void {
  const number = row.take("samNumber")
  if (number !== entryId) entry.labelled("references", row.label("samNumber"), number)
  entry.text("type", row.take("classification"))
  addNames(entry, row)
  entry.text("title", row.take("prefix"))
  entry.printed(
    "addresses",
    joined(
      PLACE.map((key) => row.take(key)),
      ", ",
    ),
  )
  for (const key of IDENTIFIERS) entry.identifier({ label: row.label(key), value: row.take(key) })
  entry.labelled("remarks", row.label("comments"), row.take("comments"))
  if (!isJoined) {
    entry.text("programs", row.take("program"))
    entry.labelled("measures", row.label("exclusionType"), row.take("exclusionType"))
    entry.listing("by", row.take("agency"))
    entry.listing("from", row.take("activeDate"))
    entry.listing("until", row.take("terminationDate"))
  }
  entry.record(row.rest())
}

function addNames(entry: EntryBuilder, row: DetailRows<Key>): void {
  const name = row.take("name")
  entry.name({ text: name, kind: "primary", quality: "NOT_STATED" })
  const parts = joined(
    PARTS_OF_NAME.map((key) => row.take(key)),
    " ",
  )
  if (parts !== name) entry.name({ text: parts, kind: name === "" ? "primary" : "alias", quality: "NOT_STATED" })
  const reference = row.take("crossReference")
  // A comma separates aliases and also occurs inside them, so the whole text stays too.
  entry.labelled("references", row.label("crossReference"), reference)
  for (const { text } of crossReferences(reference, name)) entry.name({ text, kind: "alias", quality: "NOT_STATED" })
}

function joined(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text !== "").join(separator)
}
