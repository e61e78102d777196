import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { usSamEntity } from "../../../../src/sources/publishers/us-sam-entity/adapter.ts"
import { readRegister, zipped } from "../../../fixtures/register-files.ts"
import { samExtract as extract, samLine as line } from "../../../fixtures/sam-entity-extract.ts"

const NAME = "SAM_PUBLIC_UTF-8_MONTHLY_V2_20261101.dat"
const read = (text: string) => readRegister(usSamEntity, [NAME, text])

test("an entity has its id, its CAGE codes, its legal name and the state of its registration", async () => {
  const reading = await read(extract([line({ 13: "Harbor Light" })]))
  expect(reading).toMatchObject({
    version: "2026-11-01",
    timestamp: "2026-11-01T00:00:00.000Z",
    declaredRecords: 1,
    rows: 1,
    failed: 0,
    counts: { active: 1, expired: 0, with_cage: 1 },
    hard: [],
    soft: ["BELOW_EXPECTED"],
    entries: [
      {
        key: "ZQGGHJH74DW7",
        otherKeys: [{ scheme: "cage", value: "1ABC2" }],
        name: "HARBOR LIGHT INSTRUMENTS, LLC",
        record: {
          legal_names: ["HARBOR LIGHT INSTRUMENTS, LLC"],
          other_names: ["Harbor Light"],
          status: "ACTIVE",
          is_current: true,
          expires: "2027-12-31",
          country: "US",
        },
      },
    ],
  })
})

test("the zipped extract gives the same", async () => {
  const text = extract([line({})])
  const archive = zipped(NAME, text)
  const { entries } = await readRegister(usSamEntity, ["SAM_PUBLIC_UTF-8_MONTHLY_V2_20261101.ZIP", archive])
  expect(entries).toEqual((await read(text)).entries)
})

test("an expired registration is not current", async () => {
  const { entries, counts } = await read(extract([line({ 6: "E", 9: "20260901" })]))
  expect(entries[0]?.record).toMatchObject({ status: "EXPIRED", is_current: false, expires: "2026-09-01" })
  expect(counts).toEqual({ active: 0, expired: 1, with_cage: 1 })
})

test("the lines of one entity become one entry with all its CAGE codes, named by the line without an indicator", async () => {
  const accounts = [
    line({ 3: "0001", 4: "9ZZZ9", 12: "HARBOR LIGHT PAYMENTS" }),
    line({}),
    line({ 3: "0002", 4: "5YYY5", 12: "HARBOR LIGHT PAYMENTS TWO" }),
    line({ 1: "AAAAAAAAAAA1", 4: "" }),
  ]
  const { entries, rows } = await read(extract(accounts))
  expect(rows).toBe(4)
  expect(entries.map(({ key, name, otherKeys }) => [key, name, otherKeys.map(({ value }) => value)])).toEqual([
    ["ZQGGHJH74DW7", "HARBOR LIGHT INSTRUMENTS, LLC", ["1ABC2", "5YYY5", "9ZZZ9"]],
    ["AAAAAAAAAAA1", "HARBOR LIGHT INSTRUMENTS, LLC", []],
  ])
})

describe("the extract is refused", () => {
  const good = line({})
  const rows: readonly (readonly [why: string, text: string, code: string])[] = [
    ["without its last line", extract([good, good], { end: good }), "TRUNCATED"],
    ["cut in the middle of a line", extract([good, good]).slice(0, 300), "TRUNCATED"],
    ["with fewer lines than declared", extract([good], { count: 2 }), "COUNT_MISMATCH"],
    ["with more lines than declared", extract([good, good], { count: 1 }), "COUNT_MISMATCH"],
    [
      "when begin and end are of two extracts",
      extract([good], { end: "EOF PUBLIC V2 00000000 20261001 0000001 0008236" }),
      "MIXED_PUBLICATION",
    ],
    ["with lines after its end", `${extract([good])}\n${good}\n`, "CORRUPT"],
    ["without a first line of its kind", extract([good], { begin: "UEI|CAGE" }), "SCHEMA_BREAK"],
    ["as a page of HTML", "<!doctype html><title>SAM</title>", "NOT_DATA"],
    ["empty", "", "TRUNCATED"],
    ["without any entity", extract([]), "TRUNCATED"],
    ["in another layout", extract(Array.from({ length: 10 }, () => `${good}|further`)), "SCHEMA_BREAK"],
    [
      "when over a thousandth of its lines cannot be read",
      extract([...Array.from({ length: 100 }, () => good), line({ 12: "" })]),
      "SCHEMA_BREAK",
    ],
    ["with a line that never ends", `${extract([good]).split("\n")[0]}\n${"x".repeat(300_000)}`, "SCHEMA_BREAK"],
  ]
  for (const [why, text, code] of rows) {
    test(`${why}: ${code}`, async () => expect((await read(text)).hard).toContain(code))
  }

  test("as two files, or as an archive with no or several extracts", async () => {
    const text = extract([good])
    expect((await readRegister(usSamEntity, [NAME, text], ["other.dat", text])).hard).toEqual(["MIXED_PUBLICATION"])
    expect((await readRegister(usSamEntity, ["a.zip", zipped("readme.txt", "x")])).hard).toEqual(["MISSING_FILE"])
    expect((await readRegister(usSamEntity)).hard).toEqual(["MISSING_FILE"])
  })

  test("as a damaged archive, and none of its rows counts", async () => {
    const archive = zipped(
      NAME,
      extract(Array.from({ length: 500 }, (_, at) => line({ 1: `AAAAAAAAA${String(at).padStart(3, "0")}` }))),
    )
    const damaged = Uint8Array.from(archive)
    damaged[Math.floor(archive.length / 2)]! ^= 0xff
    expect((await readRegister(usSamEntity, ["a.zip", damaged])).hard.length).toBeGreaterThan(0)
  })
})

test("a few unreadable lines of many are reported, and the rest is read", async () => {
  const many = Array.from({ length: 2000 }, (_, at) => line({ 1: `AAAAAAAA${String(at).padStart(4, "0")}` }))
  many[1000] = line({ 1: "short" })
  const { entries, hard, soft, failed } = await read(extract(many))
  expect([entries.length, failed, hard]).toEqual([1999, 1, []])
  expect(soft).toContain("ROW_FAILED")
})

test("an entity without an expiration date is read, one with a date that does not exist is not", async () => {
  const none = await read(extract([line({ 9: "" })]))
  expect([none.hard, none.entries[0]?.record]).toMatchObject([[], { is_current: true, expires: null }])
  expect((await read(extract([line({ 9: "20261301" })]))).failed).toBe(1)
})

test("a count of zeros declares no number of records, as the layout allows", async () => {
  const { declaredRecords, hard } = await read(extract([line({})], { count: 0 }))
  expect([declaredRecords, hard]).toEqual([null, []])
})

test("keys are looked up in their stored form", () => {
  expect(usSamEntity.canonicalKey("uei", " zqgghjh74dw7 ")).toBe("ZQGGHJH74DW7")
  expect(usSamEntity.canonicalKey("cage", "1abc2")).toBe("1ABC2")
  for (const [scheme, value] of [
    ["uei", "short"],
    ["cage", "ZQGGHJH74DW7"],
    ["lei", "ZQGGHJH74DW7"],
  ] as const) {
    expect(usSamEntity.canonicalKey(scheme, value)).toBeNull()
  }
})

const lists = process.env["BIZAUTH_LISTS"]
describe.skipIf(!lists)("GSA's own sample (set BIZAUTH_LISTS)", () => {
  test("of 2014, without the unique entity id, is refused as another layout", async () => {
    const sample = readFileSync(join(lists ?? "", "us_sam", "SAM_PUBLIC_MONTHLY_20140504.ZIP"))
    const reading = await readRegister(usSamEntity, ["SAM_PUBLIC_MONTHLY_20140504.ZIP", sample])
    expect(reading.hard).toEqual(["SCHEMA_BREAK"])
    expect(reading.findings[0]?.detail).toContain("150 fields, not 142")
    expect(reading.version).toBe("2014-05-04")
  })
})
