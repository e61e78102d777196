import { describe, expect, test } from "bun:test"
import { usTradeCsl } from "../../../../src/sources/publishers/us-trade-csl/adapter.ts"
import type { SourceFile } from "../../../../src/sources/records/adapter.ts"
import { cslFile } from "../../../fixtures/sample-lists.ts"
import { cslRows } from "../../../fixtures/sample-parties.ts"
import { asSourceFiles, hardCodes, replacing, softCodes, withFile } from "../../../fixtures/source-files.ts"

const files = asSourceFiles([cslFile()])
const reading = usTradeCsl.parse(files)
const NAME = "consolidated.csv"

const hardAfter = (change: (bytes: Uint8Array) => Uint8Array) =>
  hardCodes(usTradeCsl.parse(withFile(files, NAME, change)).findings)

describe("consolidated.csv", () => {
  test("gives the six lists of Commerce and State with their measures", () => {
    expect(hardCodes(reading.findings)).toEqual([])
    expect(reading.parties.map(({ list, measure }) => `${list} ${measure}`)).toEqual([
      "DPL hold",
      "EL hold",
      "MEU hold",
      "UVL condition",
      "DTC hold",
      "ISN hold",
    ])
  })

  test("only counts OFAC's mirrored rows, and keeps their ids for comparison", () => {
    expect(reading.counts).toMatchObject({ entries: 6, rows: 8, mirrored: 2 })
    expect(reading.mirrors).toEqual([
      { sourceId: "US_OFAC_SDN", entryIds: ["90001"] },
      { sourceId: "US_OFAC_CONSOLIDATED", entryIds: ["91001"] },
    ])
  })

  test("reads names, aliases, places and period, and removes the scope of an order from the name", () => {
    expect(reading.parties[1]).toMatchObject({
      entryId: "c0ffee02",
      names: [
        { text: "Halcyon Ridge Microsystems", kind: "primary" },
        { text: "Halcyon Ridge Semiconductor", kind: "aka" },
        { text: "Ridgeline Microsystems", kind: "fka" },
        { text: "HRM Institute", kind: "aka" },
      ],
      countries: ["CN", "HK"],
      validFrom: "2023-06-12",
    })
    expect(reading.parties[0]).toMatchObject({ validTo: "2034-02-01", names: [{ text: "ORRIN TALBOT FENWICKE" }] })
  })

  test("reads identifiers with their country", () => {
    const row = { ...cslRows[2], ids: "US, 80-0890696, Tax ID No.; 77, Registration ID; https://a.example, Website" }
    const [party] = usTradeCsl
      .parse(asSourceFiles([cslFile([...cslRows.slice(0, 2), row, ...cslRows.slice(3)])]))
      .parties.slice(2)
    expect(party?.identifiers).toEqual([
      { scheme: "tax", value: "80-0890696", country: "US" },
      { scheme: "registration", value: "77" },
    ])
  })

  test("keeps both parties of a key that occurs twice", () => {
    const twice = usTradeCsl.parse(asSourceFiles([cslFile([...cslRows, { ...cslRows[3], name: "Second Cobalt" }])]))
    expect(twice.parties.map((party) => party.entryId)).toContain("c0ffee04~2")
    expect(softCodes(twice.findings)).toContain("DUPLICATE_ID")
  })
})

describe("the older file without _id and without the MEU list", () => {
  const withoutId = (file: SourceFile): SourceFile => ({
    ...file,
    bytes: new TextEncoder().encode(new TextDecoder().decode(file.bytes).replace(/^[^,\n]*,/gm, "")),
  })
  const old = asSourceFiles([cslFile(cslRows.filter((row) => row["_id"] !== "c0ffee03"))]).map(withoutId)

  test("is read, with stable keys made from its rows", () => {
    const { parties, findings } = usTradeCsl.parse(old)
    expect(hardCodes(findings)).toEqual([])
    expect(softCodes(findings)).toContain("LIST_MISSING")
    expect(parties.map((party) => party.entryId)).toEqual(usTradeCsl.parse(old).parties.map((party) => party.entryId))
    expect(parties[0]?.entryId).toMatch(/^DPL:[0-9a-f]{16}$/)
  })
})

describe("the integrity checks", () => {
  test("refuse a cut at any byte, except for cuts between two rows after the last of the six lists", () => {
    const bytes = files[0]?.bytes ?? new Uint8Array()
    const unseen: number[] = []
    for (let at = 0; at < bytes.length; at += 1) {
      if (hardAfter((whole) => whole.subarray(0, at)).length === 0) unseen.push(at)
    }
    const lineEnds = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1)
    const headerAndSixLists = 7
    expect(unseen).toEqual(lineEnds.slice(headerAndSixLists - 1, -1))
    expect(unseen).toHaveLength(2)
    expect(softCodes(reading.findings)).toContain("END_UNPROVEN")
  })

  test.each([
    ["a required column renamed", "alt_names", "aliases"],
    ["an unknown list", "Unverified List (UVL)", "Untrusted List (UTL)"],
    ["a nameless row", "Cobalt Wharf Trading", ""],
    ["a row of another width", "Cobalt Wharf Trading", "Cobalt,Wharf"],
    ["a repeated header column", "citizenships", "nationalities"],
  ])("report a schema break for %s", (_, from, to) => {
    expect(hardAfter(replacing(from, to))).toContain("SCHEMA_BREAK")
  })

  test("report and ignore a new column", () => {
    const wider = withFile(files, NAME, (bytes) =>
      new TextEncoder().encode(new TextDecoder().decode(bytes).replace(/$/gm, ",x").replace(/\n,x$/, "\n")),
    )
    const { findings, parties } = usTradeCsl.parse(wider)
    expect(hardCodes(findings)).toEqual([])
    expect(softCodes(findings)).toContain("UNKNOWN_COLUMN")
    expect(parties).toEqual(reading.parties)
  })

  test("report a few unreadable rows among thousands and keep the others", () => {
    const many: Readonly<Record<string, string>>[] = Array.from({ length: 3000 }, (_, index) => ({
      ...cslRows[3],
      _id: `many${index}`,
      name: `Wharf ${index}`,
    }))
    const unreadable = { ...cslRows[3], name: "" }
    const parse = (rows: typeof many) => usTradeCsl.parse(asSourceFiles([cslFile([...cslRows, ...many, ...rows])]))
    const three = parse([unreadable, unreadable, unreadable])
    expect(hardCodes(three.findings)).toEqual([])
    expect(softCodes(three.findings)).toContain("ROW_FAILED")
    expect(three.parties).toHaveLength(3006)
    expect(hardCodes(parse([unreadable, unreadable, unreadable, unreadable]).findings)).toEqual(["SCHEMA_BREAK"])
  })
})
