/**
 * What the publishers' own files say about their entries: the counts of the design, found again in the details. Runs only if BIZAUTH_LISTS names
 * the folder of these files.
 */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { EntryDetails } from "../../schemas/entry-details.ts"
import { readCsv } from "../../src/sources/formats/csv-rows.ts"
import { unzip } from "../../src/sources/formats/unzip.ts"
import { ADAPTERS } from "../../src/sources/list-registry.ts"
import type { SourceId } from "../../src/sources/records/party.ts"

const lists = process.env["BIZAUTH_LISTS"]
const present = lists !== undefined && existsSync(lists)
if (!present) console.log("published details skipped: BIZAUTH_LISTS names no folder with the publishers' files")

function detailsOf(id: SourceId, paths: readonly string[], name?: string): readonly EntryDetails[] {
  const files = paths.map((path) => ({
    name: name ?? basename(path),
    bytes: new Uint8Array(readFileSync(join(lists ?? "", path))),
    modifiedAt: 0,
  }))
  const found: EntryDetails[] = []
  ADAPTERS[id].details(files, (details) => found.push(details))
  return found
}

const isAlias = ({ kind, quality }: EntryDetails["names"][number]) =>
  (kind === "alias" || kind === "former") && quality !== "WEAK"

function countsOf(entries: readonly EntryDetails[]) {
  const count = (has: (entry: EntryDetails) => unknown) => entries.filter((entry) => Boolean(has(entry))).length
  return {
    all: entries.length,
    alias: count(({ names }) => names.some(isAlias)),
    weak: count(({ names }) => names.some(({ quality }) => quality === "WEAK")),
    native: count(({ names }) => names.some(({ kind }) => kind === "native")),
    birthDate: count(({ births }) => births),
    birthPlace: count(({ birth_places }) => birth_places),
    nationality: count(({ nationalities }) => nationalities),
    citizen: count(({ citizenships }) => citizenships),
    gender: count(({ gender }) => gender),
    address: count(({ addresses }) => addresses),
    remarks: count(({ remarks }) => remarks),
    linkedTo: count(({ linked_to }) => linked_to?.some(({ label }) => label !== "Vess_owner")),
    listingDate: count(({ listing }) => listing?.from),
    link: count(({ link }) => link),
  }
}

const textsOf = (items: readonly { readonly text: string }[] = []) => items.map(({ text }) => text)

/** The rows of GSA's sample without OFAC's. A row with wrong quotes is read by the quotes between its cells. */
function samRows(path: string): readonly Readonly<Record<string, string>>[] {
  const zip = new Uint8Array(readFileSync(join(lists ?? "", path)))
  const unzipped = unzip(zip, path, { entriesMax: 4, bytesMax: 1e8 })
  if ("finding" in unzipped) throw new Error(unzipped.finding.detail)
  const rows: string[][] = []
  const { faults } = readCsv(new TextDecoder().decode(unzipped.entries[0]?.bytes), (cells) => rows.push(cells))
  for (const { text } of faults)
    rows.push(
      text
        .slice(1, -1)
        .split('","')
        .map((cell) => cell.replaceAll('""', '"')),
    )
  const [header = [], ...others] = rows
  return others
    .map((cells) => Object.fromEntries(header.map((name, at) => [name, (cells[at] ?? "").trim()])))
    .filter((row) => row["Excluding Agency"] !== "TREAS-OFAC")
}

const NONE = { native: 0, weak: 0, birthDate: 0, birthPlace: 0, nationality: 0, citizen: 0, gender: 0, linkedTo: 0 }

describe.skipIf(!present)("counts of filled members", () => {
  test("SDN of July 2024", () => {
    const folder = "us_ofac_sdn/2024-07-full"
    expect(
      countsOf(
        detailsOf(
          "US_OFAC_SDN",
          ["sdn", "add", "alt"].map((name) => `${folder}/${name}.csv`),
        ),
      ),
    ).toEqual({
      ...{ all: 15_402, alias: 7468, weak: 2191, native: 0, birthDate: 6797, birthPlace: 4175 },
      ...{ nationality: 4765, citizen: 1065, gender: 4325, address: 12_693, remarks: 14_931, linkedTo: 5912 },
      ...{ listingDate: 29, link: 15_402 },
    })
  })

  test("consolidated of December 2025; the file of comments adds the rest of ten remarks", () => {
    const paths = ["prim", "add", "alt"].map((name) => `us_ofac_cons/cons_${name}.csv`)
    const counts = {
      ...{ all: 442, alias: 395, weak: 54, native: 0, birthDate: 74, birthPlace: 21, nationality: 2, citizen: 0 },
      ...{ gender: 2, address: 390, remarks: 442, linkedTo: 283, listingDate: 90, link: 442 },
    }
    expect(countsOf(detailsOf("US_OFAC_CONSOLIDATED", paths))).toEqual(counts)
    const whole = countsOf(detailsOf("US_OFAC_CONSOLIDATED", [...paths, "us_ofac_cons/cons_comments.csv"]))
    expect(whole).toEqual({ ...counts, weak: 57, listingDate: 94 })
  })

  test("the lists of Commerce and State in the CSL", () => {
    const found = countsOf(detailsOf("US_TRADE_CSL", ["us_csl/csl-sample.csv"], "consolidated.csv"))
    expect(found).toEqual({ ...NONE, all: 47, alias: 3, address: 34, remarks: 7, listingDate: 33, link: 40 })
  })

  test("SAM rows that do not repeat OFAC's: each cell is in the entry of its number", () => {
    const path = "us_sam/SAM_Exclusions_Public_Extract_20049.ZIP"
    const entries = new Map(detailsOf("US_SAM_EXCLUSIONS", [path]).map((entry) => [entry.entry_id, entry]))
    expect(entries.size).toBe(3909)
    const counts = { all: 0, ofOfac: 0, alias: 0, address: 0, remarks: 0, listingDate: 0 }
    for (const row of samRows(path)) {
      const entry = entries.get(row["SAM Number"] ?? "")
      counts.all += 1
      const found = (text: string | undefined, texts: readonly string[]) =>
        text !== undefined && text !== "" && texts.some((one) => one.includes(text)) ? 1 : 0
      // Rows that are further addresses of OFAC's entries are left out with them; four of them have a street.
      if (entry === undefined && row["Address 1"] !== "") counts.ofOfac += 1
      counts.alias += found(row["Cross-Reference"], textsOf(entry?.references))
      counts.address += found(row["Address 1"], textsOf(entry?.addresses))
      counts.remarks += found(row["Additional Comments"], textsOf(entry?.remarks))
      counts.listingDate += found(row["Active Date"], [entry?.listing?.from ?? "", ...textsOf(entry?.records?.flat())])
    }
    const address = 4816 - counts.ofOfac
    expect(counts).toEqual({ all: 4973, ofOfac: 4, alias: 1770, address, remarks: 2264, listingDate: 4808 })
  })

  test("two rows of the UK list", () => {
    const path = "uk_sanctions_list/uk-sanctions-list-2-real-rows.csv"
    const counts = countsOf(detailsOf("UK_SANCTIONS_LIST", [path], "UK-Sanctions-List.csv"))
    expect(counts).toEqual({
      ...NONE,
      ...{ all: 2, alias: 0, native: 1, address: 1, remarks: 2, linkedTo: 1, listingDate: 2, link: 2 },
    })
  })
})
