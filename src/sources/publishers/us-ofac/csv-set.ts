/** The four CSV files of one OFAC publication. */

import type { EmitDetails, Finding, Parsed, SourceFile } from "../../records/adapter.ts"
import { countryOfName } from "../../records/country-codes.ts"
import { hard, type RowProblem, rowFindings, soft } from "../../records/findings.ts"
import type { NameKind } from "../../records/party.ts"
import type { WordCounts } from "../../records/publisher-words.ts"
import { findFile } from "../../records/source-text.ts"
import type { ReadText } from "../../records/unseen-characters.ts"
import { contentVersion } from "../content-version.ts"
import { countParties } from "../count-parties.ts"
import { parsed } from "../reading.ts"
import { emitCsvDetails } from "./csv-details.ts"
import { joinAddress, type OfacEntry, partyOf } from "./entry.ts"
import { type OfacList, splitPrograms, typeOf } from "./lists.ts"
import { type OfacTables, publicationFindings } from "./publication.ts"
import { readRemarks } from "./remarks.ts"
import { ADDRESSES, ALIASES, COMMENTS, PRIMARY, type Row, readTable, type Table } from "./table.ts"
import { ofacWordCounts } from "./words.ts"

const KIND_OF_ALIAS: Readonly<Record<string, NameKind>> = { aka: "aka", fka: "fka", nka: "aka" }

export function parseCsvSet(
  list: OfacList,
  files: readonly SourceFile[],
  readText: ReadText,
  emit: EmitDetails | null,
): Parsed {
  const words = ofacWordCounts(list, "csv")
  const { tables, findings, used } = readTables(list, files, readText, words)
  if (emit) emitCsvDetails(list, tables, emit)
  findings.push(...publicationFindings(tables))
  const built = buildEntries(tables, words)
  findings.push(...rowFindings(tables.primary.file, tables.primary.rows.length, built.unknownTypes, true))
  findings.push(...rowFindings(tables.aliases.file, tables.aliases.rows.length, built.unknownKinds, true))
  const parties = built.entries.map((entry) => partyOf(list, entry))
  return parsed({
    parties,
    counts: countParties(parties, {
      rows: tables.primary.rows.length,
      aliases: tables.aliases.rows.length,
      addresses: tables.addresses.rows.length,
    }),
    version: contentVersion(used, parties.length),
    words,
    used: used.map(({ bytes }) => bytes),
    findings,
  })
}

function readTables(list: OfacList, files: readonly SourceFile[], readText: ReadText, words: WordCounts) {
  const findings: Finding[] = []
  const used: SourceFile[] = []
  const read = (name: string, shape: typeof PRIMARY): Table | null => {
    const file = findFile(files, name)
    if (!file) {
      findings.push((shape.endMarkRequired ? hard : soft)("MISSING_FILE", `${name} is not among the files`, name))
      return null
    }
    used.push(file)
    const table = readTable(file, shape, readText, words)
    findings.push(...table.findings)
    return table
  }
  const empty = (file: string): Table => ({ file, rows: [], findings: [] })
  const { primary, addresses, aliases, comments } = list.files
  const tables: OfacTables = {
    primary: read(primary, PRIMARY) ?? empty(primary),
    addresses: read(addresses, ADDRESSES) ?? empty(addresses),
    aliases: read(aliases, ALIASES) ?? empty(aliases),
    comments: read(comments, COMMENTS),
  }
  return { tables, findings, used }
}

function buildEntries(tables: OfacTables, words: WordCounts) {
  const unknownTypes: RowProblem[] = []
  const unknownKinds: RowProblem[] = []
  const continuation = new Map(tables.comments?.rows.map((row) => [row.key, row.cells[1] ?? ""]))
  const entries = new Map<number, OfacEntry>()
  for (const row of tables.primary.rows) {
    if (typeOf(row.cells[2] ?? "") === null) unknownTypes.push({ line: row.line, why: "unknown SDN_Type" })
    countPrimary(words, row)
    const place = { file: tables.primary.file, number: row.line }
    entries.set(row.key, primaryEntry(row, place, continuation.get(row.key) ?? "", words))
  }
  for (const row of tables.aliases.rows) {
    words.add("csv-alias", (row.cells[2] ?? "").toLowerCase())
    const kind = KIND_OF_ALIAS[(row.cells[2] ?? "").toLowerCase()]
    if (kind === undefined) unknownKinds.push({ line: row.line, why: "unknown alt_type" })
    const text = row.cells[3] ?? ""
    // An alias of an unknown kind is still a listed name, so keep it.
    if (text !== "") entries.get(row.key)?.names.push({ text, kind: kind ?? "aka" })
  }
  for (const row of tables.addresses.rows) addAddress(entries.get(row.key), row)
  return { entries: [...entries.values()], unknownTypes, unknownKinds }
}

function countPrimary(words: WordCounts, { cells }: Row): void {
  words.add("csv-type", (cells[2] ?? "").toLowerCase())
  const programs = cells[3] ?? ""
  if (programs.includes("] [")) words.add("csv-programs", "] [")
  for (const program of splitPrograms(programs)) words.add("csv-program", program)
}

function primaryEntry(row: Row, line: OfacEntry["line"], continuation: string, words: WordCounts): OfacEntry {
  const [, name = "", typeText = "", programs = "", , , , , , flag = "", , remarkText = ""] = row.cells
  const type = typeOf(typeText) ?? "unknown"
  const remarks = readRemarks(remarkText + continuation, type, words)
  const flagCountry = countryOfName(flag)
  return {
    id: String(row.key),
    type,
    programs: splitPrograms(programs),
    names: [{ text: name, kind: "primary" }, ...remarks.weakAliases],
    identifiers: [...remarks.identifiers],
    birthDates: [...remarks.birthDates],
    countries: flagCountry ? [...remarks.countries, flagCountry] : [...remarks.countries],
    addresses: [],
    line,
  }
}

function addAddress(entry: OfacEntry | undefined, row: Row): void {
  if (!entry) return
  const [, , street = "", city = "", country = ""] = row.cells
  const text = joinAddress([street, city, country])
  if (text) entry.addresses.push(text)
  const code = countryOfName(country)
  if (code) entry.countries.push(code)
}
