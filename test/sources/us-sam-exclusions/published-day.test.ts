/** When a SAM extract was published: the day in its name, unless the rows of a whole extract contradict it. */
import { describe, expect, test } from "bun:test"
import { DAY } from "../../../src/core/time.ts"
import { usSamExclusions } from "../../../src/sources/us-sam-exclusions/adapter.ts"
import { samCsv, samZip } from "../../fixtures/sample-lists.ts"
import { asSourceFiles } from "../../fixtures/source-files.ts"

const NAMED = Date.UTC(2026, 10, 21)
/** How far the newest exclusion may lie behind the name. */
const LAG = 31 * DAY
/** The least size of a whole extract. */
const WHOLE = 134_000

/** An extract whose name says {@link NAMED}, with `rows` rows of which the newest became active on `newest`. */
function publishedOf(rows: number, newest: string) {
  const row = {
    Classification: "Firm",
    Name: "ZUBANE KOVI",
    "Excluding Agency": "TREAS-OFAC",
    "Active Date": "01/02/2020",
  }
  const all = Array.from({ length: rows }, (_, index) => (index === 7 ? { ...row, "Active Date": newest } : row))
  const { timestamp, timestampFrom } = usSamExclusions.parse(
    asSourceFiles([samZip({ publishedAt: NAMED }, samCsv(all))]),
  )
  return { timestamp, timestampFrom }
}

const day = (at: number) => {
  const [year, month, date] = new Date(at).toISOString().slice(0, 10).split("-")
  return `${month}/${date}/${year}`
}
const named = { timestamp: "2026-11-21T00:00:00.000Z", timestampFrom: "FILE_NAME" } as const

describe("a whole extract", () => {
  test("is of the day in its name where its newest exclusion is of the month before", () => {
    expect(publishedOf(WHOLE, day(NAMED - LAG))).toEqual(named)
  })

  test("is of the day of its newest exclusion where that is older: an old file was renamed", () => {
    const at = NAMED - LAG - DAY
    expect(publishedOf(WHOLE, day(at))).toEqual({
      timestamp: new Date(at).toISOString(),
      timestampFrom: "CONTENT",
    } as never)
  })

  test("takes no day that does not exist for its newest exclusion", () => {
    expect(publishedOf(WHOLE, "02/31/2031").timestampFrom).toBe("CONTENT")
  })
})

test("of a sample's rows nothing follows: it is of the day in its name", () => {
  expect(publishedOf(WHOLE - 1, day(NAMED - 400 * DAY))).toEqual(named)
})
