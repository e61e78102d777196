/**
 * Reads the publishers' own files as far as the measurements need. SDN, consolidated and SAM use the adapters. The Denied Persons List and
 * the UN list have no adapter (a snapshot contains them in other lists), so this file has two small readers.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "csv-parse/sync"
import { unzipSync } from "fflate"
import { usOfacConsolidated, usOfacSdn } from "../../../src/sources/publishers/us-ofac/adapter.ts"
import { usSamExclusions } from "../../../src/sources/publishers/us-sam-exclusions/adapter.ts"
import type { SourceAdapter } from "../../../src/sources/records/adapter.ts"
import { countryOfAlpha3 } from "../../../src/sources/records/country-codes.ts"
import type { NameKind, Party } from "../../../src/sources/records/party.ts"

/** Folders and files below the folder in `--lists` or BIZAUTH_LISTS. */
const SDN_DIRECTORY = "us_ofac_sdn/2024-07-full"
const CONSOLIDATED_DIRECTORY = "us_ofac_cons"
const DPL_FILE = "us_bis_dpl/dpl-2021.txt"
const UN_FILE = "un_sc/2026-08-un.xml"
const SAM_FILE = "us_sam/SAM_Exclusions_Public_Extract_20049.ZIP"

/**
 * The SDN list of July 2024. Its alias file is of another publication and was saved again by the project that kept it, so the import
 * correctly rejects the three files together. This function takes the aliases of existing entries and restores the end mark.
 */
export function sdnParties(lists: string): readonly Party[] {
  const [primary, addresses, aliases] = ["sdn.csv", "add.csv", "alt.csv"].map((name) =>
    sourceFile(join(lists, SDN_DIRECTORY, name), name),
  )
  const entries = new Set(Buffer.from(primary!.bytes).toString("latin1").match(/^\d+/gm))
  const kept = Buffer.from(aliases!.bytes)
    .toString("latin1")
    .split(/\r?\n/)
    .filter((row) => entries.has(/^\d+/.exec(row)?.[0] ?? ""))
  const mended = { ...aliases!, bytes: new Uint8Array(Buffer.from(`${kept.join("\r\n")}\r\n\x1a`, "latin1")) }
  const { parties, findings } = usOfacSdn.parse([primary!, addresses!, mended])
  const refusal = findings.find(({ severity }) => severity === "hard")
  if (refusal) throw new Error(`${SDN_DIRECTORY}: ${refusal.code}: ${refusal.detail}`)
  return parties
}

/** Sanctions lists. The companies and persons below are not supposed to be on them. */
export function sanctionsParties(lists: string): Party[] {
  return [
    ...sdnParties(lists),
    ...partiesIn(usOfacConsolidated, join(lists, CONSOLIDATED_DIRECTORY)),
    ...deniedParties(lists),
    ...unParties(lists),
  ]
}

export function samParties(lists: string): readonly Party[] {
  return usSamExclusions.parse([sourceFile(join(lists, SAM_FILE), "SAM_Exclusions_Public_Extract_20049.ZIP")]).parties
}

function partiesIn(adapter: SourceAdapter, directory: string): readonly Party[] {
  const names = readdirSync(directory).filter((name) => /\.(?:csv|xml|zip)$/i.test(name))
  return adapter.parse(names.map((name) => sourceFile(join(directory, name), name))).parties
}

const sourceFile = (path: string, name: string) => ({ name, bytes: new Uint8Array(readFileSync(path)), modifiedAt: 0 })

function deniedParties(lists: string): Party[] {
  const [, ...rows] = rowsOf(readFileSync(join(lists, DPL_FILE), "latin1"), "\t")
  return rows.map(([name = "", , , country = ""], at) => ({
    ...bare({
      sourceId: "US_TRADE_CSL",
      entryId: `DPL-${at}`,
      list: "DPL",
      type: "unknown",
      line: { file: DPL_FILE, number: at + 2 },
    }),
    names: [{ text: name.trim(), kind: "primary" }],
    countries: /^[A-Z]{2}$/.test(country) ? [country] : [],
  }))
}

const UN_KIND: Readonly<Record<string, NameKind>> = { Low: "weak", "f.k.a.": "fka" }

/** Listed under the United Kingdom's list, which contains the United Nations' entries. */
function unParties(lists: string): Party[] {
  const xml = readFileSync(join(lists, UN_FILE), "utf8")
  const parties: Party[] = []
  for (const [, tag, body = ""] of xml.matchAll(/<(INDIVIDUAL|ENTITY)>([\s\S]*?)<\/\1>/g)) {
    const names: { text: string; kind: NameKind }[] = [
      {
        text: UN_NAMES.map((name) => cell(body, name))
          .filter(Boolean)
          .join(" "),
        kind: "primary",
      },
    ]
    for (const [, , alias = ""] of body.matchAll(/<(INDIVIDUAL|ENTITY)_ALIAS>([\s\S]*?)<\/\1_ALIAS>/g)) {
      const text = cell(alias, "ALIAS_NAME")
      if (text !== "") names.push({ text, kind: UN_KIND[cell(alias, "QUALITY")] ?? "aka" })
    }
    const native = cell(body, "NAME_ORIGINAL_SCRIPT")
    if (native !== "") names.push({ text: native, kind: "native" })
    const id = cell(body, "REFERENCE_NUMBER") || cell(body, "DATAID")
    const type = tag === "ENTITY" ? "org" : "person"
    const line = { file: UN_FILE, number: parties.length + 1 }
    parties.push({ ...bare({ sourceId: "UK_SANCTIONS_LIST", entryId: `UN-${id}`, list: "UN", type, line }), names })
  }
  return parties
}

const UN_NAMES = ["FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME"]
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", apos: "'", quot: '"', lt: "<", gt: ">" }

function cell(xml: string, tag: string): string {
  const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(xml)?.[1] ?? ""
  return text.replace(/&(amp|apos|quot|lt|gt);/g, (_, name) => ENTITIES[name]!).trim()
}

/** A party of which only the entry is known. */
function bare(entry: Pick<Party, "sourceId" | "entryId" | "list" | "type" | "line">) {
  return {
    ...entry,
    ...{ programs: [], measure: "hold" as const, identifiers: [], birthDates: [] },
    ...{ countries: [] as string[], addresses: [] },
  }
}

const rowsOf = (text: string, delimiter = ","): string[][] =>
  parse(text, { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true })

export interface Firm {
  readonly name: string
  /** ISO 3166-1 alpha-2; empty if the row states none. */
  readonly countries: readonly string[]
}

/** Companies that agencies other than OFAC excluded: real companies, a few of which are also on OFAC's list. */
export function samFirms(lists: string): Firm[] {
  const [file] = Object.values(unzipSync(readFileSync(join(lists, SAM_FILE))))
  const [header, ...rows] = rowsOf(Buffer.from(file!).toString("latin1"))
  const column = (title: string) => header!.findIndex((text) => text.trim() === title)
  const columns = ["Classification", "Name", "Excluding Agency", "Country", "SAM Number"].map(column)
  const [classification, name, agency, country, number] = columns
  const firms = new Map<string, Firm>()
  for (const row of rows) {
    const text = row[name!]!.trim()
    if (row[classification!] !== "Firm" || /OFAC/.test(row[agency!]!) || text === "") continue
    const code = countryOfAlpha3(row[country!]!)
    if (firms.has(row[number!]!)) continue
    firms.set(row[number!]!, { name: text, countries: code === null ? [] : [code] })
  }
  return [...firms.values()]
}

/** Full names from a file of persons: the first column of a CSV with a header. */
export function personNames(lists: string, file: string): string[] {
  const [, ...rows] = rowsOf(readFileSync(join(lists, "matching", file), "utf8"))
  return rows.map((row) => row[0]!)
}

interface LabelledPair {
  readonly type: "person" | "org" | null
  readonly query: string
  readonly listed: string
  readonly same: boolean
}

export function labelledPairs(lists: string): LabelledPair[] {
  const [, ...rows] = rowsOf(readFileSync(join(lists, "matching", "name_bench-cases.csv"), "utf8"))
  return rows.map(([, schema, query, listed, same]) => ({
    type: schema === "Person" ? "person" : schema === "Company" || schema === "Organization" ? "org" : null,
    query: query!,
    listed: listed!,
    same: same === "true",
  }))
}
