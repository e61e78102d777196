/** The day in the file name counts only if the rows do not contradict it: GSA adds exclusions every working day. */
import { describe, expect } from "bun:test"
import { DAY } from "../../../../src/core/time.ts"
import { usSamExclusions } from "../../../../src/sources/publishers/us-sam-exclusions/adapter.ts"
import { howMany, sample } from "../../../fixtures/long.ts"
import { samCsv } from "../../../fixtures/sample-lists.ts"
import { samRows } from "../../../fixtures/sample-parties.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const NAMED = Date.UTC(2026, 10, 20)
const WHOLE = 134_000

/** A whole extract repeats this row with the same number, because 134,000 parties would take seconds to build. */
const repeated = { ...samRows[0], "Excluding Agency": "TREAS-OFAC" }
const day = (ago: number) => new Date(NAMED - ago * DAY).toISOString().slice(0, 10)
const american = (ago: number) => day(ago).replace(/(\d+)-(\d+)-(\d+)/, "$2/$3/$1")

/** `created` and `active` of the newest row are days before the day in the file name; null if the row does not state it. */
function read(rows: number, created: number | null, active: number) {
  const old = { ...repeated, Creation_Date: created === null ? "" : day(400), "Active Date": american(400) }
  const newest = { ...old, Creation_Date: created === null ? "" : day(created), "Active Date": american(active) }
  const [header = "", row = "", last = ""] = samCsv([old, newest]).split("\r\n")
  const bytes = new TextEncoder().encode([header, ...Array.from({ length: rows - 1 }, () => row), last].join("\r\n"))
  const name = "SAM_Exclusions_Public_Extract_V2_26324.CSV"
  const { timestamp, timestampFrom } = usSamExclusions.parse([{ name, bytes, modifiedAt: NAMED }])
  return [timestampFrom, timestamp?.slice(0, 10)]
}

const extracts = [
  ["rows of yesterday: the day in its name", 1, 1, ["FILE_NAME", day(0)]],
  ["newest row four days ago, over a long weekend: the day in its name", 4, 4, ["FILE_NAME", day(0)]],
  ["newest row five days ago: the day of that row", 5, 5, ["CONTENT", day(5)]],
  ["newest row eight days ago: the day of that row", 8, 8, ["CONTENT", day(8)]],
  ["newest row thirty days ago: the day of that row", 30, 30, ["CONTENT", day(30)]],
  [
    "a row that becomes active in the future: the day on which the newest row was created",
    20,
    -300,
    ["CONTENT", day(20)],
  ],
  ["a row that became active after its creation: the day of its creation", 20, 1, ["CONTENT", day(20)]],
  ["rows without a creation date: the newest active day", null, 9, ["CONTENT", day(9)]],
  ["a row created after the day in the name: that row is ignored", -2, 1, ["CONTENT", day(400)]],
] as const

describe(`the publication day of an extract of 134,000 rows named 20 November 2026, ${howMany(extracts.length, 1)} cases, with`, () => {
  test.each(sample(extracts, 1))("%s", (_, created, active, expected) => {
    expect(read(WHOLE, created, active)).toEqual([...expected])
  })
})

test("the publication day of a sample is the day in its file name, however old its rows are", () => {
  expect(read(WHOLE - 1, 300, 300)).toEqual(["FILE_NAME", day(0)])
})
