import { describe, expect, test } from "bun:test"
import { usSecEdgar } from "../../../../src/sources/publishers/us-sec-edgar/adapter.ts"
import { readRegister, zipped } from "../../../fixtures/register-files.ts"

const NAME = "company_tickers.json"
const read = (value: unknown) =>
  readRegister(usSecEdgar, [NAME, typeof value === "string" ? value : JSON.stringify(value)])

const company = (cik: unknown, title: unknown = "Harbor Light Instruments Inc.", ticker = "HLI") => ({
  cik_str: cik,
  ticker,
  title,
})

test("a company has its number in ten digits and its name; its tickers are one entry", async () => {
  const reading = await read({
    0: company(320193),
    1: company(320193, "Harbor Light Instruments Inc.", "HLI-B"),
    2: company(7, "Other Co"),
  })
  expect(reading).toMatchObject({
    rows: 3,
    failed: 0,
    timestamp: null,
    counts: { companies: 2, tickers: 3 },
    hard: [],
    soft: ["BELOW_EXPECTED"],
  })
  expect(reading.entries.map(({ key, name }) => [key, name])).toEqual([
    ["0000320193", "Harbor Light Instruments Inc."],
    ["0000000007", "Other Co"],
  ])
  expect(reading.entries[0]?.record).toEqual({
    legal_names: ["Harbor Light Instruments Inc."],
    other_names: [],
    status: null,
    is_current: null,
    expires: null,
    country: null,
  })
})

describe("EDGAR's suffix after a slash is not part of the legal name", () => {
  for (const [title, names] of [
    ["HARBOR LIGHT CORP /DE/", ["HARBOR LIGHT CORP", "HARBOR LIGHT CORP /DE/"]],
    ["HARBOR LIGHT & COMPANY/MN", ["HARBOR LIGHT & COMPANY", "HARBOR LIGHT & COMPANY/MN"]],
    ["HARBOR LIGHT INC /NEW/", ["HARBOR LIGHT INC", "HARBOR LIGHT INC /NEW/"]],
    ["Harbor/Light Inc", ["Harbor/Light Inc"]],
  ] as const) {
    test(title, async () => {
      const { entries } = await read({ 0: company(1, title) })
      expect(entries[0]?.name).toBe(title)
      expect(entries[0]?.record).toMatchObject({ legal_names: [...names] })
    })
  }
})

test("equal bytes have the same version, different bytes have different versions", async () => {
  const one = await read({ 0: company(1) })
  expect((await read({ 0: company(1) })).version).toBe(one.version)
  expect((await read({ 0: company(2) })).version).not.toBe(one.version)
})

describe("the file is refused", () => {
  for (const [why, value, code] of [
    ["cut", '{"0":{"cik_str":1,"ticker":"A","title":"A', "CORRUPT"],
    ["as a page of HTML", "<html></html>", "NOT_DATA"],
    ["as a list", "[]", "NOT_DATA"],
    ["with one member twice", '{"0":{"cik_str":1,"cik_str":2,"ticker":"A","title":"A"}}', "SCHEMA_BREAK"],
    ["without any company", {}, "SCHEMA_BREAK"],
    ["with a renamed member", { 0: { cik: 1, ticker: "A", title: "A" } }, "SCHEMA_BREAK"],
    ["with an invalid number", { 0: company("12a") }, "SCHEMA_BREAK"],
    ["with a name that is not a text", { 0: company(1, 5) }, "SCHEMA_BREAK"],
  ] as const) {
    test(`${why}: ${code}`, async () => expect((await read(value)).hard).toContain(code))
  }
})

test("an archive of the file is read too", async () => {
  const archive = zipped(NAME, JSON.stringify({ 0: company(1) }))
  expect((await readRegister(usSecEdgar, ["company_tickers.zip", archive])).entries).toHaveLength(1)
})

test("a number is found with or without its leading zeros", () => {
  expect(usSecEdgar.canonicalKey("cik", "320193")).toBe("0000320193")
  expect(usSecEdgar.canonicalKey("cik", "0000320193")).toBe("0000320193")
  for (const value of ["", "0", "12345678901", "12a"]) expect(usSecEdgar.canonicalKey("cik", value)).toBeNull()
})
