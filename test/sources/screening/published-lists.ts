/** Reads the publishers' own files as far as measuring the name search needs them. Only for tests that have the files. */
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "csv-parse/sync"
import { unzipSync } from "fflate"
import type { Party } from "../../../src/sources/party.ts"
import { usOfacSdn } from "../../../src/sources/us-ofac/adapter.ts"

/** The folder of published lists, or undefined where these tests must be skipped. */
export const LISTS = process.env["BIZAUTH_LISTS"]

export function ofacParties(directory: string): readonly Party[] {
  const files = readdirSync(directory).map((name) => ({
    name,
    bytes: readFileSync(`${directory}/${name}`),
    modifiedAt: 0,
  }))
  return usOfacSdn.parse(files).parties
}

const rowsOf = (text: string): string[][] =>
  parse(text, { relax_column_count: true, relax_quotes: true, skip_empty_lines: true })

export interface Firm {
  readonly name: string
  /** `["US"]` or empty: the file's other codes are not needed here. */
  readonly countries: readonly string[]
}

/** Firms that agencies other than OFAC excluded: real firms that are not meant to be on OFAC's list. */
export function samFirms(zip: string): Firm[] {
  const [file] = Object.values(unzipSync(readFileSync(zip)))
  const [header, ...rows] = rowsOf(Buffer.from(file!).toString("latin1"))
  const column = (title: string) => header!.findIndex((text) => text.trim() === title)
  const [classification, name, agency, country] = ["Classification", "Name", "Excluding Agency", "Country"].map(column)
  const firms = new Map<string, Firm>()
  for (const row of rows) {
    const text = row[name!]!.trim()
    if (row[classification!] !== "Firm" || /OFAC/.test(row[agency!]!) || text === "") continue
    firms.set(text, { name: text, countries: row[country!] === "USA" ? ["US"] : [] })
  }
  return [...firms.values()]
}

export function personNames(csv: string): string[] {
  const [, ...rows] = rowsOf(readFileSync(csv, "utf8"))
  return rows.map((row) => row[0]!)
}
