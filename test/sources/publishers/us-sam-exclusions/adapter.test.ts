import { describe, expect, test } from "bun:test"
import { usSamExclusions } from "../../../../src/sources/publishers/us-sam-exclusions/adapter.ts"
import { SAM_HEADER, samCsv, samZip } from "../../../fixtures/sample-lists.ts"
import { samRows } from "../../../fixtures/sample-parties.ts"
import { asSourceFiles, hardCodes, PUBLISHED_AT, softCodes } from "../../../fixtures/source-files.ts"

const OPTIONS = { publishedAt: PUBLISHED_AT }
const LOOSE = "SAM_Exclusions_Public_Extract_V2_26282.CSV"

const zipped = (csv: string) => usSamExclusions.parse(asSourceFiles([samZip(OPTIONS, csv)]))
const loose = (csv: string) =>
  usSamExclusions.parse([{ name: LOOSE, bytes: new TextEncoder().encode(csv), modifiedAt: PUBLISHED_AT }])

const reading = zipped(samCsv())

describe("the exclusions extract", () => {
  test("joins the rows of one SAM number: every program, the stricter measure, the open end and the further address", () => {
    expect(hardCodes(reading.findings)).toEqual([])
    expect(reading.parties[0]).toEqual({
      sourceId: "US_SAM_EXCLUSIONS",
      entryId: "S4TEST001",
      type: "org",
      list: "SAM",
      programs: [
        "DOL A Reciprocal Ineligible (Proceedings Completed)",
        "EPA R Reciprocal Ineligible (Proceedings Pending)",
      ],
      measure: "hold",
      names: [
        { text: "BRAMBLEWICK PAVING, INC.", kind: "primary" },
        { text: "BRAMBLEWICK ROADS, LLC", kind: "aka" },
        { text: "HOLLIS BRAMBLEWICK", kind: "aka" },
      ],
      identifiers: [
        { scheme: "uei", value: "ZZ1INVENTED1" },
        { scheme: "cage", value: "0ZZ01" },
      ],
      birthDates: [],
      countries: ["US", "CA"],
      addresses: ["12 INVENTED WAY, DAYTON, OH, USA", "TORONTO, CAN"],
      line: { file: LOOSE, number: 2 },
      validFrom: "2025-01-15",
    })
  })

  test("builds a person's name from its parts and gives a vessel its type", () => {
    expect(reading.parties.slice(1).map(({ type, names, measure }) => [type, names[0]?.text, measure])).toEqual([
      ["person", "OTTOLINE R MARCHBANKS", "hold"],
      ["vessel", "GREY PETREL", "condition"],
    ])
  })

  test("counts OFAC's rows and never makes a party from one", () => {
    expect(reading.counts).toMatchObject({ entries: 3, rows: 6, mirrored: 1 })
    expect(reading.parties.map((party) => party.entryId)).not.toContain("S4TEST004")
  })

  test("drops a further address of an OFAC row with its entry, and keeps one without an entry as a party", () => {
    const further = { Name: "SOMEBODY", City: "QUITO", Country: "ECU" }
    const added = zipped(
      samCsv([...samRows, { ...further, "SAM Number": "S4TEST004" }, { ...further, "SAM Number": "S4TEST999" }]),
    )
    expect(added.counts.mirrored).toBe(2)
    expect(added.parties.map((party) => party.entryId)).toEqual(["S4TEST001", "S4TEST002", "S4TEST003", "S4TEST999"])
    expect(added.parties[3]?.measure).toBe("hold")
  })

  test("takes version and time from the day in the file name", () => {
    expect(reading).toMatchObject({ version: "26282", timestamp: "2026-10-09T00:00:00.000Z" })
  })

  test("is read under the column names used before April 2022", () => {
    const before = SAM_HEADER.map(
      (name) =>
        ({
          "Open Data Flag": "D&B Open Data Flag",
          "Blank (Deprecated)": "Unique Entity Identifier (DUNS)",
          "Unique Entity ID": "Unique Entity Identifier (SAM)",
        })[name] ?? name,
    )
    expect(zipped(samCsv(samRows, before)).parties).toEqual(reading.parties)
  })

  test("is read without its archive, with a finding that its end is unproven", () => {
    const { parties, findings } = loose(samCsv())
    expect(parties).toEqual(reading.parties)
    expect(softCodes(findings)).toContain("END_UNPROVEN")
  })

  test("recovers a row with a comment that the publisher quoted twice", () => {
    const csv = samCsv([...samRows, { ...samRows[0], "SAM Number": "S4TEST005", "Additional Comments": "COMMENT" }])
    const { parties, findings } = zipped(csv.replace('"COMMENT"', '""Known as ""Bram"", see notice"" '.trim()))
    expect(hardCodes(findings)).toEqual([])
    expect(softCodes(findings)).toContain("ROW_REPAIRED")
    expect(parties.map((party) => party.entryId)).toContain("S4TEST005")
  })
})

describe("the integrity checks", () => {
  test("refuse an archive cut at any byte", () => {
    const zip = samZip(OPTIONS)
    for (let at = 0; at < zip.bytes.length; at += 1) {
      const cut = asSourceFiles([{ ...zip, bytes: zip.bytes.subarray(0, at) }])
      expect(hardCodes(usSamExclusions.parse(cut).findings)).not.toEqual([])
    }
  })

  test("refuse a loose file cut anywhere except between two rows", () => {
    const csv = samCsv()
    const unseen: number[] = []
    for (let at = 0; at < csv.length; at += 1) {
      if (hardCodes(loose(csv.slice(0, at)).findings).length === 0) unseen.push(at)
    }
    // After the last quote of a row, after its carriage return, and after its line feed.
    const rowEnds = [...csv.matchAll(/\r\n/g)].map((match) => match.index).slice(1)
    expect(unseen).toEqual(rowEnds.flatMap((at) => [at, at + 1, at + 2]))
  })

  test.each([
    ["a required column renamed", "Exclusion Type", "Type of Exclusion"],
    ["an unknown classification", '"Vessel"', '"Ship"'],
    ["an unknown exclusion type", "Voluntary Exclusion", "Voluntary Departure"],
  ])("report a schema break for %s", (_, from, to) => {
    expect(samCsv()).toContain(from)
    expect(hardCodes(zipped(samCsv().replace(from, to)).findings)).toContain("SCHEMA_BREAK")
  })

  test("refuse an archive with a file that states another day", () => {
    const zip = samZip(OPTIONS)
    const renamed = { ...zip, name: zip.name.replace("26282", "26283") }
    expect(hardCodes(usSamExclusions.parse(asSourceFiles([renamed])).findings)).toEqual(["MIXED_PUBLICATION"])
  })

  test("refuse a day that does not exist", () => {
    const name = LOOSE.replace("26282", "26366")
    const { findings } = usSamExclusions.parse([{ name, bytes: new TextEncoder().encode(samCsv()), modifiedAt: 0 }])
    expect(hardCodes(findings)).toContain("SCHEMA_BREAK")
  })

  test("refuse two extracts in one folder", () => {
    const zip = samZip(OPTIONS)
    const other = samZip({ publishedAt: PUBLISHED_AT + 86_400_000 })
    expect(hardCodes(usSamExclusions.parse(asSourceFiles([zip, other])).findings)).toEqual(["MIXED_PUBLICATION"])
  })
})
