/** The details of OFAC's entries in the four CSV files of one publication. */

import { ofacLink } from "../../../catalogue/publisher-pages.ts"
import { decodeEntities } from "../../details/decode-entities.ts"
import { EntryBuilder, noted } from "../../details/entry-builder.ts"
import type { EmitDetails } from "../../records/adapter.ts"
import { addRemarkDetails } from "./details-of-remarks.ts"
import { joinAddress } from "./entry.ts"
import { type OfacList, splitPrograms } from "./lists.ts"
import type { OfacTables } from "./publication.ts"
import type { Row, Table } from "./table.ts"

/** Names of the columns in Treasury's data specification. */
const VESSEL = [
  [5, "Call_Sign"],
  [6, "Vess_type"],
  [7, "Tonnage"],
  [8, "GRT"],
  [9, "Vess_flag"],
] as const

export function emitCsvDetails(list: OfacList, tables: OfacTables, emit: EmitDetails): void {
  const continuation = new Map(tables.comments?.rows.map((row) => [row.key, printed(row)[1] ?? ""]))
  const aliases = rowsByKey(tables.aliases)
  const addresses = rowsByKey(tables.addresses)
  const known = new Set<number>()
  for (const row of tables.primary.rows) {
    // A repeated number refuses the publication.
    if (known.has(row.key)) continue
    known.add(row.key)
    const id = String(row.key)
    const entry = new EntryBuilder(list.id, id)
    addPrimary(entry, row, continuation.get(row.key) ?? "")
    for (const alias of aliases.get(row.key) ?? []) addAlias(entry, alias)
    for (const address of addresses.get(row.key) ?? []) addAddress(entry, address)
    emit(entry.build(ofacLink(id)))
  }
}

function printed({ cells, printed: own }: Row): readonly string[] {
  return own ?? cells
}

function decoded(row: Row): readonly string[] {
  return printed(row).map(decodeEntities)
}

function rowsByKey({ rows }: Table): Map<number, Row[]> {
  return Map.groupBy(rows, ({ key }) => key)
}

function addPrimary(entry: EntryBuilder, row: Row, continuation: string): void {
  const cells = decoded(row)
  const [number = "", name = "", type = "", programs = "", title = ""] = cells
  entry.name({ text: name, kind: "primary", quality: "NOT_STATED" })
  entry.text("type", type)
  for (const program of splitPrograms(programs)) entry.text("programs", program)
  entry.text("title", title)
  for (const [at, label] of VESSEL) entry.labelled("vessel", label, cells[at] ?? "")
  entry.labelled("linked_to", "Vess_owner", cells[10] ?? "")
  const remarks = decodeEntities(((printed(row)[11] ?? "") + continuation).trim())
  entry.labelled("remarks", "Remarks", remarks)
  addRemarkDetails(entry, remarks)
  // A number with zeros before it is another text than the entry's id.
  if (number !== String(row.key)) entry.labelled("references", "ent_num", number)
}

function addAlias(entry: EntryBuilder, row: Row): void {
  const [, number = "", type = "", text = "", remarks = ""] = decoded(row)
  if (text === "") entry.record(cellsOf({ alt_num: number, alt_type: type, alt_remarks: remarks.trim() }))
  const kind = type.toLowerCase() === "fka" ? "former" : "alias"
  const note = [type, remarks.trim()].filter((part) => part !== "").join(", ")
  // The file of aliases holds the strong ones only; the weak ones are in the remarks (dataspec).
  entry.name(noted({ text, kind, quality: "STRONG" }, number, note))
}

function addAddress(entry: EntryBuilder, row: Row): void {
  const [, number = "", street = "", city = "", country = "", remarks = ""] = decoded(row)
  const text = joinAddress([street, city, country])
  if (text === null) entry.record(cellsOf({ add_num: number, add_remarks: remarks.trim() }))
  else entry.printed("addresses", text, number, remarks.trim())
}

function cellsOf(cells: Readonly<Record<string, string>>) {
  return Object.entries(cells).flatMap(([label, text]) => (text === "" ? [] : [{ label, text }]))
}
