import { describe, expect } from "bun:test"
import { zipSync } from "fflate"
import { usOfacConsolidated, usOfacSdn } from "../../../../src/sources/publishers/us-ofac/adapter.ts"
import { sampleLists, sampleSdnXml } from "../../../fixtures/sample-lists.ts"
import { BLOCKED_ORGANISATION, LISTED_WALLET } from "../../../fixtures/sample-parties.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import {
  asSourceFiles,
  hardCodes,
  PUBLISHED_AT,
  replacing,
  softCodes,
  withFile,
} from "../../../fixtures/source-files.ts"

const test = slowTests(import.meta.path)

const OPTIONS = { publishedAt: PUBLISHED_AT }
const sdn = asSourceFiles(sampleLists(OPTIONS).US_OFAC_SDN)
const consolidated = asSourceFiles(sampleLists(OPTIONS).US_OFAC_CONSOLIDATED)
const xml = asSourceFiles([sampleSdnXml(OPTIONS)])

const hardAfter = (name: string, change: (bytes: Uint8Array) => Uint8Array) =>
  hardCodes(usOfacSdn.parse(withFile(sdn, name, change)).findings)
const softAfter = (name: string, change: (bytes: Uint8Array) => Uint8Array) =>
  softCodes(usOfacSdn.parse(withFile(sdn, name, change)).findings)

describe("the four CSV files", () => {
  const reading = usOfacSdn.parse(sdn)

  test("give one party per entry with the parts of all four files", () => {
    expect(hardCodes(reading.findings)).toEqual([])
    expect(reading.parties[0]).toEqual({
      sourceId: "US_OFAC_SDN",
      entryId: "90001",
      type: "org",
      list: "SDN",
      programs: ["RUSSIA-EO14024"],
      measure: "block",
      names: [
        { text: BLOCKED_ORGANISATION, kind: "primary" },
        { text: "VMT", kind: "weak" },
        { text: "VOSTOK MERIDIAN TRADE HOUSE", kind: "aka" },
        { text: "MERIDIAN PACIFIC EXPORT LLC", kind: "fka" },
      ],
      identifiers: [
        { scheme: "tax", value: "2500000017", country: "RU" },
        { scheme: "registration", value: "1162500000017", country: "RU" },
      ],
      birthDates: [],
      countries: ["RU", "AE"],
      addresses: ["14 Naberezhnaya Street, Vladivostok 690091, Russia", "United Arab Emirates"],
      line: { file: "sdn.csv", number: 1 },
    })
    expect(reading.parties.map((party) => party.type)).toEqual(["org", "person", "vessel", "org", "org"])
  })

  test("split two programs printed with brackets between them", () => {
    expect(reading.parties[1]?.programs).toEqual(["SDGT", "IFSR"])
  })

  test("give a listed wallet and a ship's IMO number as identifiers", () => {
    expect(reading.parties[3]?.identifiers).toEqual([{ scheme: "wallet", value: LISTED_WALLET, currency: "ETH" }])
    expect(reading.parties[2]?.identifiers).toContainEqual({ scheme: "imo", value: "9000003" })
    expect(reading.parties[2]?.countries).toEqual(["PA"])
  })

  test("join a remark cut at 1000 characters with its continuation before it is read", () => {
    expect(reading.parties[4]?.names).toContainEqual({ text: "QUILL LINE", kind: "weak" })
    expect(reading.parties[4]?.identifiers).toEqual([{ scheme: "registration", value: "10117", country: "IR" }])
  })

  test("count alias and address rows like the publisher, including rows of nulls", () => {
    expect(reading.counts).toMatchObject({ entries: 5, aliases: 3, addresses: 6, persons: 1, orgs: 3, vessels: 1 })
  })

  test("have a version from their content and no publication time, because they state none", () => {
    expect(reading.version).toMatch(/^[0-9a-f]{16}#5$/)
    expect(reading.timestamp).toBeNull()
    const later = asSourceFiles(sampleLists({ ...OPTIONS, withoutSdn: [90005] }).US_OFAC_SDN)
    expect(usOfacSdn.parse(later).version).not.toBe(reading.version)
  })

  test("are found in any case of their names", () => {
    const upper = sdn.map((file) => ({ ...file, name: `EXPORTS/${file.name.toUpperCase()}` }))
    expect(usOfacSdn.parse(upper).parties).toHaveLength(5)
  })
})

describe("integrity of the four CSV files", () => {
  test.each(["sdn.csv", "add.csv", "alt.csv"])("%s cut at any byte is refused", (name) => {
    const length = sdn.find((file) => file.name === name)?.bytes.length ?? 0
    expect(length).toBeGreaterThan(100)
    for (let at = 0; at < length; at += 1) {
      expect(hardAfter(name, (bytes) => bytes.subarray(0, at))).toContain("TRUNCATED")
    }
  })

  test("a comments file cut inside a row is refused, one without only its end mark is not", () => {
    const length = sdn.find((file) => file.name === "sdn_comments.csv")?.bytes.length ?? 0
    for (let at = 1; at < length - 1; at += 1) {
      expect(hardAfter("sdn_comments.csv", (bytes) => bytes.subarray(0, at))).not.toEqual([])
    }
    const unmarked = (bytes: Uint8Array) => bytes.subarray(0, -1)
    expect(hardAfter("sdn_comments.csv", unmarked)).toEqual([])
    expect(softAfter("sdn_comments.csv", unmarked)).toContain("END_UNPROVEN")
  })

  test("a set without comments is used, with a finding that remarks are cut", () => {
    const { parties, findings } = usOfacSdn.parse(sdn.filter((file) => file.name !== "sdn_comments.csv"))
    expect(parties).toHaveLength(5)
    expect(softCodes(findings)).toEqual(expect.arrayContaining(["MISSING_FILE", "SPILLOVER_MISSING"]))
  })

  test.each(["sdn.csv", "add.csv", "alt.csv"])("a set without %s is refused and gives no party", (name) => {
    const { parties, findings } = usOfacSdn.parse(sdn.filter((file) => file.name !== name))
    expect(hardCodes(findings)).toContain("MISSING_FILE")
    expect(parties).toEqual([])
  })

  const otherDay = asSourceFiles(
    sampleLists({
      ...OPTIONS,
      extraSdn: [
        { number: 90100, name: "NEWLY LISTED CO.", programs: ["SDGT"], aliases: [{ kind: "aka", name: "NLC" }] },
      ],
    }).US_OFAC_SDN,
  )

  test.each(["sdn.csv", "add.csv", "alt.csv"])("%s of another publication is refused", (name) => {
    const newer = otherDay.find((file) => file.name === name)
    expect(hardAfter(name, () => newer?.bytes ?? new Uint8Array())).toContain("MIXED_PUBLICATION")
    expect(hardCodes(usOfacSdn.parse(otherDay).findings)).toEqual([])
  })

  test.each([
    ["entry numbers that descend", "sdn.csv", "90004,", "80004,"],
    ["an entry number twice", "sdn.csv", "90004,", "90003,"],
    ["an alias number twice", "alt.csv", "900011,", "900010,"],
    ["a comment on no entry", "sdn_comments.csv", "90005,", "90006,"],
  ])("%s: mixed publication", (_, file, from, to) => {
    expect(hardAfter(file, replacing(from, to))).toContain("MIXED_PUBLICATION")
  })

  test.each([
    ["one row with a column too few", "sdn.csv", ',"SDGT] [IFSR"', ""],
    ["one row without an entry number", "alt.csv", "90002,", "x,"],
    ["one row quoted wrongly", "add.csv", '"Minsk"', '"Min"sk"'],
    ["types of a new vocabulary", "sdn.csv", '"vessel"', '"ship"'],
    ["alias kinds of a new vocabulary", "alt.csv", '"fka"', '"dba"'],
  ])("%s: schema break", (_, file, from, to) => {
    expect(hardAfter(file, replacing(from, to))).toContain("SCHEMA_BREAK")
  })

  test("a header line is reported and skipped", () => {
    const change = (bytes: Uint8Array) =>
      Uint8Array.from([...new TextEncoder().encode("ent_num,alt_num,alt_type,alt_name,alt_remarks\r\n"), ...bytes])
    expect(hardAfter("alt.csv", change)).toEqual([])
    expect(softAfter("alt.csv", change)).toContain("HEADER_LINE")
  })

  test("every fault is reported, not only the first", () => {
    const files = withFile(
      withFile(sdn, "add.csv", (bytes) => bytes.subarray(0, -1)),
      "alt.csv",
      replacing("90002,", "77777,"),
    )
    const { findings } = usOfacSdn.parse(files)
    expect(hardCodes(findings)).toEqual(expect.arrayContaining(["TRUNCATED", "MIXED_PUBLICATION"]))
  })

  test("a file that belongs to no list is reported", () => {
    const stray = { name: "readme.txt", bytes: new Uint8Array([65]), modifiedAt: 0 }
    const finding = usOfacSdn.parse([...sdn, stray]).findings.find(({ code }) => code === "UNUSED_FILE")
    expect(finding).toMatchObject({ severity: "soft", file: "readme.txt" })
  })
})

describe("the file SDN.XML", () => {
  const reading = usOfacSdn.parse(xml)

  test("states its version, time and count", () => {
    expect(reading).toMatchObject({
      version: "2026-10-09#5",
      timestamp: "2026-10-09T00:00:00.000Z",
      declaredRecords: 5,
    })
    expect(hardCodes(reading.findings)).toEqual([])
  })

  test("gives the same names, wallets, programs and countries as the CSV files", () => {
    const parts = (parties: typeof reading.parties) =>
      parties.map(({ entryId, type, names, programs, addresses, identifiers }) => ({
        entryId,
        type,
        programs,
        addresses,
        names: names.map(({ text, kind }) => `${kind} ${text}`).sort(),
        wallets: identifiers.filter(({ scheme }) => scheme === "wallet"),
      }))
    expect(parts(reading.parties)).toEqual(parts(usOfacSdn.parse(sdn).parties))
  })

  test("is refused if its number of records differs from the declared number", () => {
    const { findings } = usOfacSdn.parse(asSourceFiles([sampleSdnXml(OPTIONS, 6)]))
    expect(hardCodes(findings)).toEqual(["COUNT_MISMATCH"])
  })

  test("is refused if it is cut at any byte", () => {
    const [file] = xml
    for (let at = 0; at < (file?.bytes.length ?? 0); at += 1) {
      const cut = xml.map((each) => ({ ...each, bytes: each.bytes.subarray(0, at) }))
      expect(hardCodes(usOfacSdn.parse(cut).findings)).not.toEqual([])
    }
  })

  test.each([
    ["another root element", "sdnList", "otherList", "NOT_DATA"],
    ["a type of a new vocabulary", "<sdnType>Vessel", "<sdnType>Ship", "SCHEMA_BREAK"],
    ["no publication date", "Publish_Date>10/09/2026", "Publish_Date>today", "SCHEMA_BREAK"],
    ["a tag closed by another", "<uid>90003</uid>", "<uid>90003</id>", "CORRUPT"],
    ["one entry twice", "<uid>90004</uid>", "<uid>90003</uid>", "MIXED_PUBLICATION"],
  ])("with %s is refused", (_, from, to, code) => {
    const changed = withFile(xml, "SDN.XML", (bytes) =>
      new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll(from, to)),
    )
    expect(hardCodes(usOfacSdn.parse(changed).findings)).toContain(code)
  })

  test("is read from its archive, and is preferred to CSV files beside it", () => {
    const [file] = xml
    const zip = { name: "SDN_XML.ZIP", bytes: zipSync({ "SDN.XML": file?.bytes ?? new Uint8Array() }), modifiedAt: 0 }
    expect(usOfacSdn.parse([zip]).version).toBe("2026-10-09#5")
    expect(usOfacSdn.parse([...sdn, ...xml]).version).toBe("2026-10-09#5")
  })
})

describe("the consolidated list", () => {
  const { parties, findings } = usOfacConsolidated.parse(consolidated)

  test("holds and never blocks, and names the list of its programs", () => {
    expect(hardCodes(findings)).toEqual([])
    expect(parties.map(({ list, measure, type }) => ({ list, measure, type }))).toEqual([
      { list: "SSI", measure: "hold", type: "org" },
      { list: "NS-PLC", measure: "hold", type: "person" },
    ])
    expect(parties[0]?.programs).toEqual(["UKRAINE-EO13662", "RUSSIA-EO14024"])
  })

  test("is not read from the files of the SDN list", () => {
    expect(hardCodes(usOfacConsolidated.parse(sdn).findings)).toContain("MISSING_FILE")
  })
})
