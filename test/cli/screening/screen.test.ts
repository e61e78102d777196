import { describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"
import { openScreeningOperator } from "../../fixtures/screening-operator.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { UK_ORGANISATION, ukRows, ukSanctionsCsv } from "../../fixtures/uk-sanctions-list.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const UK = "UK_SANCTIONS_LIST"
const NOBODY = "Somebody Quite Unlisted"

describe("screen NAME", () => {
  test("a listed name is found; the exit code says that every list was screened, not what was found", async () => {
    using operator = await openScreeningOperator()
    const words = await operator.screen(BLOCKED_ORGANISATION.toLowerCase(), "--type", "org")
    expect(words.exit).toBe(0)
    expect(words.out).toStartWith("MATCH  best score 1.0000  threshold 0.8  ")
    const clear = await operator.screen(NOBODY)
    expect([clear.exit, clear.out.split("  ")[0], clear.out.split("\n").length]).toEqual([0, "CLEAR", 2])
  })

  test("the table shows matched words, unmatched words, applied rules, the entry and other agreeing details", async () => {
    using operator = await openScreeningOperator(["US_OFAC_SDN"])
    const { out } = await operator.screen(
      "Marek Kestrelyev Antonovich Smithson",
      "--type",
      "org",
      "--country",
      "BY",
      "--threshold",
      "0.65",
    )
    const [, title, listed] = out.split("\n\n")
    expect(title).toBe("below the threshold, or persons where --type is org, no hits:")
    const table = listed?.split("\n") ?? []
    expect(table).toEqual([
      expect.stringMatching(
        /^NEAR_MISS {2}0\.\d{4} {2}US_OFAC_SDN SDN 90002 {2}KESTRELEV, Marek Antonovich \(primary\) {2}FUZZY_NAME$/,
      ),
      "  entry         person, measure block, programs SDGT, IFSR",
      expect.stringMatching(/^ {2}words {9}asked +listed +alike +weight$/),
      expect.stringMatching(/^ {16}marek +marek +1\.0000 +\d\.\d{4}$/),
      expect.stringMatching(/^ {16}antonovich +antonovich +1\.0000 +\d\.\d{4}$/),
      expect.stringMatching(/^ {16}kestrelyev +kestrelev +0\.\d{4} +\d\.\d{4}$/),
      expect.stringMatching(/^ {2}left over {5}asked: smithson \(\d\.\d{4}\); listed: none$/),
      "  multipliers   TYPE_DIFFERS x0.92",
      expect.stringMatching(/^ {2}information {3}\d\.\d{4}$/),
      "  corroborated  identifier ABSENT, country MATCH, address ABSENT, dob ABSENT, type CONFLICT",
    ])
  })

  test("the table shows the extra words of the listed name, under the alias that matched", async () => {
    using operator = await openScreeningOperator()
    const { out } = await operator.screen("Meridian Pacific", "--type", "org")
    expect(out).toContain("  MERIDIAN PACIFIC EXPORT LLC (fka)  FUZZY_NAME\n")
    expect(out).toMatch(
      /\n {2}left over {5}asked: none; listed: export \(0\.0000\)\n {2}multipliers {3}TRADE_WORDS_DIFFER x0\.94\n/,
    )
  })

  test("for a person with a listed name and country the report asks for date of birth or document, and that data decides", async () => {
    using operator = await openScreeningOperator()
    const requests = ["Marek Antonovich Kestrelev", "--type", "person", "--country", "BY"]
    const held = await operator.screen(...requests)
    expect(held.out).toStartWith("POSSIBLE_MATCH")
    expect(held.out).toContain(
      "\n  to decide     many people share this name: give the day of birth (--birth-date YYYY-MM-DD) or a document (--id passport:NUMBER)\n",
    )
    expect(JSON.parse((await operator.screen(...requests, "--json")).out)).toMatchObject({
      state: "POSSIBLE_MATCH",
      asks_for: ["BIRTH_DATE", "IDENTITY_DOCUMENT"],
    })
    for (const decisive of [
      ["--birth-date", "1968-03-14"],
      ["--id", "passport:XK0000017"],
    ]) {
      const { out } = await operator.screen(...requests, ...decisive)
      expect([decisive, out.split("  ")[0], out.includes("to decide")]).toEqual([decisive, "MATCH", false])
    }
    const year = ["Marek Antonovich Kestrelev", "--type", "person", "--birth-date", "1968"]
    const byYear = await operator.screen(...year)
    expect([byYear.out.split("  ")[0], byYear.out.includes("to decide")]).toEqual(["POSSIBLE_MATCH", true])
    expect((await operator.screen(...year, "--country", "BY")).out).toStartWith("MATCH")
    const other = await operator.screen(...requests, "--birth-date", "1990-01-01", "--json")
    expect(JSON.parse(other.out)).toMatchObject({
      query: { birth_dates: ["1990-01-01"] },
      state: "POSSIBLE_MATCH",
      hits: [{ corroboration: { birth_date: "CONFLICT" } }],
    })
    expect(JSON.parse(other.out)).not.toHaveProperty("asks_for")
  })

  test.each([
    ["1968-02-30", "person", "a day as YYYY-MM-DD or a year as YYYY"],
    ["14.03.1968", "person", "a day as YYYY-MM-DD or a year as YYYY"],
    ["1968-03-14", "org", "is for a person"],
  ])("--birth-date %s of a %s is rejected", async (date, type, why) => {
    using operator = await openScreeningOperator([])
    const ran = await operator.screen("Marek Kestrelev", "--type", type, "--birth-date", date)
    expect([ran.exit as number, ran.err.includes(why)]).toEqual([2, true])
  })

  test("a name in Arabic letters is UNSUPPORTED, and a name that contains a listed name is a possible match", async () => {
    using operator = await openScreeningOperator()
    const arabic = await operator.screen("شركة النور", "--type", "org")
    expect([arabic.out.split("  ")[0], arabic.out.includes("\n  name  SCRIPT_UNSUPPORTED\n")]).toEqual([
      "SCRIPT_UNSUPPORTED",
      true,
    ])
    const { out } = await operator.screen(`Global ${BLOCKED_ORGANISATION} ref 4711`, "--type", "org")
    expect(out).toStartWith("POSSIBLE_MATCH")
    expect(out).toContain("  multipliers   NAME_CONTAINED x0.9\n")
    expect(out).toContain(
      "NAME_CONTAINED: the screened name contains the whole listed name; the words around it do not count.\n",
    )
  })

  test("an identifier finds an entry that no name would find, and the table shows the identifier", async () => {
    using operator = await openScreeningOperator()
    const ran = await operator.screen("Renamed Concern", "--id", "registration:1162500000017")
    expect(ran.out).toStartWith("MATCH")
    expect(ran.out).toContain("  identifier    registration 1162500000017\n  words         none compared\n")
    expect(ran.out).toContain("identifier MATCH")
  })

  test("every --id counts, in whichever order and whether with a comma or as a flag of its own", async () => {
    using operator = await openScreeningOperator()
    const [listed, other] = ["registration:1162500000017", "lei:5493001KJTIIGC8Y1R12"]
    for (const ids of [
      ["--id", listed, "--id", other],
      ["--id", other, "--id", listed],
      ["--id", `${other},${listed}`],
      ["--id", other, "--id", `uei:ZQGGHJH74DW7,${listed}`],
    ]) {
      const ran = await operator.screen("Renamed Concern", ...ids)
      expect([ids, ran.exit, ran.out.split("  ")[0]]).toEqual([ids, 0, "MATCH"])
    }
    const faulty = await operator.screen("Renamed Concern", "--id", listed, "--id", "duns:123456789")
    expect([faulty.exit as number, faulty.out]).toEqual([2, ""])
  })

  test("--json has the same content, complete and with its version", async () => {
    using operator = await openScreeningOperator(["US_OFAC_SDN"])
    const json = JSON.parse((await operator.screen(BLOCKED_ORGANISATION, "--type", "org", "--json")).out)
    expect(json).toMatchObject({
      version: 1,
      state: "MATCH",
      threshold: 0.8,
      hits: [{ source_id: SDN, entry_id: "90001" }],
    })
    expect(Object.keys(json.hits[0].explanation).toSorted()).toEqual([
      "identifier",
      "information_sum",
      "listed_left_over",
      "listed_left_over_weight",
      "multipliers",
      "pairs",
      "query_left_over",
      "query_left_over_weight",
      "query_words",
    ])
    expect(json.snapshots[SDN]).toStartWith("snp_")
    expect(json.sources).toContainEqual({ source_id: SDN, health: "HEALTHY" })
    expect(json.sources_missing).toEqual(["US_OFAC_CONSOLIDATED", "US_SAM_EXCLUSIONS", "US_TRADE_CSL"])
  })

  test("a near miss is shown apart from the hits, and a threshold moves the limit", async () => {
    using operator = await openScreeningOperator()
    const requests = "Marek Kestrelyev Antonovich Smithson"
    expect((await operator.screen(requests)).out).toMatch(
      /^CLEAR {2}best score 0\.[67]\d+[\s\S]*\nbelow the threshold, or persons where --type is org, no hits:\n\nNEAR_MISS/,
    )
    expect((await operator.screen(requests, "--threshold", "0.65")).out).toStartWith("POSSIBLE_MATCH")
  })
})

describe("while a required list cannot be screened, the command exits with 4 and no name is CLEAR", () => {
  test("because it is missing: it is named with the fix, and hits are still reported", async () => {
    using operator = await openScreeningOperator(["US_OFAC_SDN"])
    const ran = await operator.screen(NOBODY)
    expect([ran.exit as number, ran.out.split("  ")[0]]).toEqual([4, "INSUFFICIENT"])
    expect(ran.out).toContain("  not screened  US_TRADE_CSL: no snapshot; bizauth sources import US_TRADE_CSL PATH…\n")
    expect((await operator.screen(BLOCKED_ORGANISATION, "--type", "org")).out).toStartWith("MATCH")
  })

  test("because it is stale", async () => {
    using operator = await openScreeningOperator(undefined, 5 * DAY)
    const ran = await operator.screen(NOBODY)
    expect([ran.exit as number, ran.out.split("  ")[0]]).toEqual([4, "INSUFFICIENT"])
    expect(ran.out).toContain("  not current   US_OFAC_SDN: STALE, retrieved ")
  })

  test("because it is disabled", async () => {
    using operator = await openScreeningOperator()
    const ran = await operator.screen(NOBODY, "--sources-disabled", SDN, "--json")
    expect([ran.exit as number, JSON.parse(ran.out).state]).toEqual([4, "INSUFFICIENT"])
    expect(JSON.parse(ran.out).sources).toContainEqual({ source_id: SDN, health: "DISABLED" })
  })

  test("because no list exists", async () => {
    using operator = await openScreeningOperator([])
    expect((await operator.screen(NOBODY)).out).toStartWith("INSUFFICIENT")
  })
})

describe("the UK list", () => {
  const all = [...REQUIRED_US_SOURCES, UK] as const

  test("is not required before its first import, and is screened from then on", async () => {
    using without = await openScreeningOperator()
    const before = await without.screen(UK_ORGANISATION, "--type", "org")
    expect([before.exit as number, before.out.split("  ")[0], before.out.includes(UK)]).toEqual([0, "CLEAR", false])
    using operator = await openScreeningOperator(all)
    const words = await operator.screen("Granite Fjord Holdings", "--type", "org")
    expect(words.out).toStartWith("MATCH")
    expect(words.out).toContain(`UK_SANCTIONS_LIST UKSL TST0001  ${UK_ORGANISATION} (primary)`)
    const json = JSON.parse((await operator.screen(UK_ORGANISATION, "--json")).out)
    expect(Object.keys(json.snapshots).sort()).toEqual([...all].sort())
    expect(json.sources).toContainEqual({ source_id: UK, health: "HEALTHY" })
    expect((await operator.screen(NOBODY)).out).toStartWith("CLEAR")
  })

  test("finds a ship by its IMO number, with and without the prefix, and holds it", async () => {
    using operator = await openScreeningOperator(all)
    for (const number of ["9000171", "IMO9000171"]) {
      const { out } = await operator.screen("Renamed Vessel", "--id", `imo:${number}`, "--json")
      expect(JSON.parse(out)).toMatchObject({ state: "POSSIBLE_MATCH", hits: [{ source_id: UK, entry_id: "TST0003" }] })
    }
  })

  test("prevents CLEAR while it is imported but stale, until it is disabled", async () => {
    using operator = await openScreeningOperator()
    const published = realMachine.now() - 4 * DAY
    const [, day, month, year] = new Date(published).toUTCString().split(" ")
    const file = operator.file(ukSanctionsCsv(`${day}-${month}-${year}`, ukRows))
    const ran = await runCommand(importSource, [
      UK,
      file,
      "--retrieved-at",
      formatInstant(published),
      "--data",
      operator.data,
    ])
    expect(ran.exit).toBe(0)
    const stale = await operator.screen(NOBODY)
    expect([stale.exit as number, stale.out.split("  ")[0]]).toEqual([4, "INSUFFICIENT"])
    expect(stale.out).toContain(`  not current   ${UK}: STALE`)
    expect((await operator.screen(UK_ORGANISATION, "--type", "org")).out).toStartWith("MATCH")
    const off = await operator.screen(UK_ORGANISATION, "--type", "org", "--sources-disabled", UK)
    expect([off.exit as number, off.out.split("  ")[0]]).toEqual([0, "CLEAR"])
  })

  test("prevents CLEAR while its imported file is damaged on the disk", async () => {
    using operator = await openScreeningOperator(all)
    rmSync(join(operator.data, "snapshots", UK), { recursive: true })
    const ran = await operator.screen(NOBODY)
    expect([ran.exit as number, ran.out.split("  ")[0]]).toEqual([4, "INSUFFICIENT"])
    expect(ran.out).toContain(`  not screened  ${UK}: no snapshot`)
  })
})

const wrong: readonly (readonly [args: readonly string[], says: string])[] = [
  [["Anybody", "--type", "vessel"], "--type is person or org"],
  [["Anybody", "--tolerance", "toString"], "--tolerance is"],
  [["Anybody", "--country", "Iran"], "--country is"],
  [["Anybody", "--country", "UK"], "--country is"],
  [["Anybody", "--id", "uei"], "--id is scheme:value"],
  [["Anybody", "--id", "duns:123456789"], "--id is scheme:value"],
  [["Anybody", "--id", "uei:0QGGHJH74DW7"], "uei is 12 letters and digits"],
  [["Anybody", "--id", "uei:ZQGGHJH74DWO"], "uei is 12 letters and digits"],
  [["Anybody", "--id", "lei:5493001KJTIIGC8Y1R13"], "lei is 20 letters and digits with the check digits"],
  [["Anybody", "--id", "uei:ZQGGHJH74DW7,lei:5493001KJTIIGC8Y1R13"], "lei is 20"],
  [["Anybody", "--id", "cage:7LBO7"], "cage is 5"],
  [["Anybody", "--id", "cik:0000000000"], "cik is 1 to 10 digits"],
  [["Anybody", "--id", "ein:1-23456789"], "ein is 9 digits"],
  [["Anybody", "--threshold", "0.64"], "--threshold is a number from 0.65 to 1"],
  [["Anybody", "--threshold", "1.1"], "--threshold is"],
  [["Anybody", "--threshold", "0.8", "--tolerance", "LOW"], "not both"],
  [["Anybody", "--file", "names.csv"], "not both"],
  [["--file", "names.csv", "--type", "org"], "each row states its own"],
  [[], "give the NAME to screen"],
]
test.each(wrong)("%p is rejected, because screening would read it as something else", async (args, says) => {
  using operator = await openScreeningOperator([])
  const ran = await operator.screen(...args)
  expect([ran.exit as number, ran.out]).toEqual([2, ""])
  expect(ran.err).toContain(says)
})
