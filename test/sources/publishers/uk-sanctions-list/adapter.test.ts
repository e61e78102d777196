import { describe, expect } from "bun:test"
import { ukSanctionsList } from "../../../../src/sources/publishers/uk-sanctions-list/adapter.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import {
  asSourceFiles,
  hardCodes,
  PUBLISHED_AT,
  replacing,
  softCodes,
  withFile,
} from "../../../fixtures/source-files.ts"
import {
  UK_HEADER,
  UK_ORGANISATION,
  type UkRow,
  ukRows,
  ukSanctionsCsv,
  ukSanctionsFile,
} from "../../../fixtures/uk-sanctions-list.ts"

const test = slowTests(import.meta.path)

const NAME = "UK-Sanctions-List.csv"
const files = asSourceFiles([ukSanctionsFile({ publishedAt: PUBLISHED_AT })])
const reading = ukSanctionsList.parse(files)
const parse = (rows: readonly UkRow[]) =>
  ukSanctionsList.parse(asSourceFiles([ukSanctionsFile({ publishedAt: PUBLISHED_AT }, rows)]))
const parseText = (text: string) =>
  ukSanctionsList.parse([{ name: NAME, bytes: new TextEncoder().encode(text), modifiedAt: PUBLISHED_AT }])
const hardAfter = (change: (bytes: Uint8Array) => Uint8Array) =>
  hardCodes(ukSanctionsList.parse(withFile(files, NAME, change)).findings)
const plain = (id: number, given: UkRow = {}): UkRow => ({
  "Unique ID": `MNY${id}`,
  "Name 6": `Quarry ${id}`,
  "Name type": "Primary Name",
  "Designation Type": "Entity",
  "Sanctions Imposed": "Asset freeze",
  ...given,
})

describe("the UK Sanctions List", () => {
  test("joins the rows of one Unique ID, with the primary name first wherever it is", () => {
    expect(hardCodes(reading.findings)).toEqual([])
    expect(reading.parties[0]).toEqual({
      sourceId: "UK_SANCTIONS_LIST",
      entryId: "TST0001",
      type: "org",
      list: "UKSL",
      programs: ["The Invented Matters (Sanctions) Regulations 2025"],
      measure: "block",
      names: [
        { text: UK_ORGANISATION, kind: "primary" },
        { text: "GRANITE FJORD GROUP", kind: "aka" },
        { text: "GRANIT FIORD", kind: "aka" },
        { text: "GFH", kind: "weak" },
        { text: "ГРАНИТ ФЬОРД", kind: "native" },
      ],
      identifiers: [
        { scheme: "registration", value: "1169900000017" },
        { scheme: "other", value: "990001001" },
        { scheme: "tax", value: "9900000017" },
      ],
      birthDates: [],
      countries: ["IR", "RU"],
      addresses: ["Iran", "1 Imaginary Quay, Murmansk, 183000, Russia", "Russia"],
      line: { file: NAME, number: 3 },
      validFrom: "2025-02-24",
    })
  })

  test("puts a person's name in its order, and keeps each birth date, nationality and document once", () => {
    expect(reading.parties[1]).toMatchObject({
      entryId: "TST0002",
      type: "person",
      measure: "block",
      names: [
        { text: "Piotr Anselm Q van der DRUMMELSON", kind: "primary" },
        { text: "Piotr Anselm Q van der DRUMMELSEN", kind: "aka" },
      ],
      birthDates: ["14/03/1968", "dd/mm/1969"],
      countries: ["CD"],
      identifiers: [
        { scheme: "passport", value: "ZZ0000099" },
        { scheme: "national-id", value: "7140368Z000ZZ9", country: "BY" },
      ],
    })
  })

  test("gives a ship its IMO number and flag; a measure other than an asset freeze only holds", () => {
    expect(reading.parties[2]).toMatchObject({
      type: "vessel",
      measure: "hold",
      identifiers: [{ scheme: "imo", value: "9000171" }],
      countries: ["GA"],
    })
  })

  test("keeps an entry with a name only in its own script, and never reads a sentence as a register number", () => {
    expect(reading.parties[3]).toMatchObject({
      type: "org",
      measure: "hold",
      names: [{ text: "کشتی ساختگی شرکت", kind: "native" }],
      identifiers: [{ scheme: "other", value: "not known to 3 registers of the region" }],
    })
  })

  test("has its report date as version and time, and counts its entries", () => {
    expect(reading).toMatchObject({ version: "Report Date 09-Oct-2026", timestamp: "2026-10-09T00:00:00.000Z" })
    expect(reading.counts).toMatchObject({ rows: 10, entries: 4, persons: 1, orgs: 2, vessels: 1, aliases: 5 })
    expect(softCodes(reading.findings)).toEqual(["END_UNPROVEN", "IDENTIFIER_UNREAD", "BELOW_EXPECTED"])
  })

  test("a report date that a spreadsheet padded with commas is read", () => {
    const padded = ukSanctionsCsv("8-Oct-2026", ukRows).replace("\n", `${",".repeat(57)}\n`)
    const { findings, timestamp } = parseText(padded)
    expect([hardCodes(findings), timestamp]).toEqual([[], "2026-10-08T00:00:00.000Z"])
  })

  test("rows of one entry may be apart", () => {
    const [first, ...rest] = ukRows
    const apart = parse([...rest, ...(first ? [first] : [])])
    expect(apart.parties.find(({ entryId }) => entryId === "TST0001")?.names).toEqual(reading.parties[0]?.names ?? [])
    expect(apart.parties).toHaveLength(4)
  })

  const measures: readonly [sanctions: string, measure: string][] = [
    ["Asset freeze", "block"],
    ["ASSET FREEZE", "block"],
    ["Travel Ban|Asset freeze|Trust Services Sanctions", "block"],
    ["Targeted asset freeze: (see 'Other information')", "block"],
    ["Travel Ban", "hold"],
    ["Director Disqualification Sanction|Trust Services Sanctions", "hold"],
    ["", "hold"],
  ]
  test.each(measures)("%j leads to the measure %s", (sanctions, measure) => {
    const { parties } = parse([plain(1, { "Sanctions Imposed": sanctions })])
    expect(parties.map((party) => party.measure as string)).toEqual([measure])
  })

  test("one row with an asset freeze is enough for its entry", () => {
    const { parties } = parse([plain(1, { "Sanctions Imposed": "" }), plain(1), plain(1, { "Sanctions Imposed": "" })])
    expect(parties).toMatchObject([{ entryId: "MNY1", measure: "block" }])
  })

  test("a name listed as a weak and as a good alias is a good alias", () => {
    const alias = { "Name 6": "Pit", "Name type": "Alias" }
    const { parties } = parse([
      plain(1),
      plain(1, { ...alias, "Alias strength": "Low quality a.k.a" }),
      plain(1, { ...alias, "Alias strength": "Good quality a.k.a" }),
    ])
    expect(parties[0]?.names).toEqual([
      { text: "Quarry 1", kind: "primary" },
      { text: "Pit", kind: "aka" },
    ])
  })

  test("rows that disagree about the type are reported, and the type is unknown, so that every query is compared", () => {
    const others = Array.from({ length: 4000 }, (_, index) => plain(index + 2))
    const { parties, findings } = parse([plain(1), plain(1, { "Designation Type": "Individual" }), ...others])
    expect(parties[0]).toMatchObject({ entryId: "MNY1", type: "unknown" })
    expect(findings.find(({ code }) => code === "ROW_FAILED")?.detail).toContain("line 3 (an entry of different")
  })
})

describe("the integrity checks", () => {
  test("refuse a cut at any byte, except for cuts between two rows", () => {
    const bytes = files[0]?.bytes ?? new Uint8Array()
    const unseen: number[] = []
    for (let at = 0; at < bytes.length; at += 1) {
      if (hardAfter((whole) => whole.subarray(0, at)).length === 0) unseen.push(at)
    }
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1)
    // Three line ends are inside a quoted cell in every row of the first entry, and one in the ship's row.
    expect(unseen.every((at) => ends.includes(at))).toBe(true)
    expect(unseen).toHaveLength(ukRows.length - 1)
  })

  test.each(UK_HEADER)("find a schema break if column %j is renamed or missing", (column) => {
    const renamed = ukSanctionsCsv("09-Oct-2026", ukRows).replace(
      UK_HEADER.join(","),
      UK_HEADER.map((name) => (name === column ? `${name} (new)` : name)).join(","),
    )
    const { findings, parties } = parseText(renamed)
    expect(hardCodes(findings)).toContain("SCHEMA_BREAK")
    expect(softCodes(findings)).toContain("UNKNOWN_COLUMN")
    expect(findings.map(({ detail }) => detail)).toContain(`column "${column}" is missing`)
    expect(parties).toEqual([])
  })

  test("report and ignore a new column at any place", () => {
    const rows = ukRows.filter((row) => !Object.values(row).some((value) => value.includes("\n")))
    const wider = ukSanctionsCsv("09-Oct-2026", rows).split("\n")
    const text = wider
      .map((line, at) => (at === 0 || line === "" ? line : `${at === 1 ? "New" : "x"},${line}`))
      .join("\n")
    const { findings, parties } = parseText(text)
    expect(hardCodes(findings)).toEqual([])
    expect(softCodes(findings)).toContain("UNKNOWN_COLUMN")
    expect(parties).toEqual(parse(rows).parties)
  })

  test.each([
    ["no report date", "Report Date: 09-Oct-2026\n", ""],
    ["another first line", "Report Date: 09-Oct-2026", "Last Updated: 09-Oct-2026"],
    ["a day no month has", "09-Oct-2026", "31-Sep-2026"],
    ["a month no year has", "09-Oct-2026", "09-Okt-2026"],
    ["a header column twice", "Passport number", "Position"],
    ["an unknown designation type", ",Ship,", ",Submarine,"],
    ["an unknown name type", "Primary name variation", "Stage name"],
    ["an unknown alias strength", "Low quality a.k.a", "Doubtful"],
    ["a row without its key", "TST0003", ""],
    ["an entry without a name", "PALE CORMORANT XII", ""],
    ["a row of another width", "PALE CORMORANT XII", "PALE,CORMORANT XII"],
  ])("report a schema break for %s", (_, from, to) => {
    expect(hardAfter(replacing(from, to))).toContain("SCHEMA_BREAK")
  })

  test("refuse the retired OFSI list, and the list as XML, with the right reason", () => {
    const conList =
      "Last Updated,27/01/2026\nName 6,Name 1,Group Type,Alias Type,Regime,Group ID\nSMITH,John,Individual,AKA,Russia,1\n"
    expect(hardCodes(parseText(conList).findings)).toContain("SCHEMA_BREAK")
    expect(hardCodes(parseText('<?xml version="1.0"?><Designations/>').findings)).toEqual(["NOT_DATA"])
  })

  test("accept a file under any name if it is the only one", () => {
    const renamed = files.map((file) => ({ ...file, name: "download (3).csv" }))
    expect(ukSanctionsList.parse(renamed).parties).toHaveLength(4)
    const other = { name: "readme.txt", bytes: new Uint8Array(1), modifiedAt: 0 }
    expect(hardCodes(ukSanctionsList.parse([...renamed, other]).findings)).toEqual(["MISSING_FILE"])
  })

  test("report a few unreadable rows among thousands and keep their entry and the others", () => {
    const many = Array.from({ length: 4000 }, (_, index) => plain(index))
    const unknown = plain(9000, { "Designation Type": "Submarine" })
    const four = parse([...many, ...Array(4).fill(unknown)])
    expect(hardCodes(four.findings)).toEqual([])
    expect(softCodes(four.findings)).toEqual(["END_UNPROVEN", "ROW_FAILED"])
    expect(four.parties).toHaveLength(4001)
    expect(four.parties.at(-1)).toMatchObject({ entryId: "MNY9000", type: "unknown", measure: "block" })
    expect(hardCodes(parse([...many, ...Array(5).fill(unknown)]).findings)).toEqual(["SCHEMA_BREAK"])
  })
})
