import { describe, expect, test } from "bun:test"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { type DatedList, isContentOld, listEnd } from "../../../src/sources/boards/content-age.ts"
import { LIST_ROWS } from "../../../src/sources/records/list-rows.ts"
import { START } from "../import-bench.ts"

const SDN = LIST_ROWS.US_OFAC_SDN.windows
const CONSOLIDATED = LIST_ROWS.US_OFAC_CONSOLIDATED.windows

function end(windows: typeof SDN, given: Partial<DatedList>) {
  const { staleAt, because } = listEnd(
    { seen: START, confirmed: null, published: START - DAY, acceptances: [], ...given },
    windows,
  )
  return [because, (staleAt - START) / HOUR]
}

describe("the end of a list is the earlier end of two ages", () => {
  const rows: readonly [what: string, windows: typeof SDN, given: Partial<DatedList>, expected: unknown][] = [
    ["retrieval age if its content is recent", SDN, {}, ["RETRIEVAL", 72]],
    ["content age, 45 days after its publication", SDN, { published: START - 44 * DAY }, ["CONTENT", 24]],
    [
      "content age although it was confirmed an hour ago",
      SDN,
      { published: START - 50 * DAY, confirmed: START },
      ["CONTENT", -120],
    ],
    ["retrieval age if its publication time is unknown", SDN, { published: null }, ["RETRIEVAL", 72]],
    [
      "content age of the UK list, after 45 days",
      LIST_ROWS.UK_SANCTIONS_LIST.windows,
      { published: START - 44 * DAY },
      ["CONTENT", 24],
    ],
    [
      "content of the exclusions, after 7 days",
      LIST_ROWS.US_SAM_EXCLUSIONS.windows,
      { published: START - 6 * DAY },
      ["CONTENT", 24],
    ],
    [
      "content of the consolidated list, after 400 days",
      CONSOLIDATED,
      { published: START - 399 * DAY },
      ["CONTENT", 24],
    ],
    [
      "retrieval of the consolidated list while its publisher confirms it, however old it is",
      CONSOLIDATED,
      { published: START - 900 * DAY, confirmed: START },
      ["RETRIEVAL", 72],
    ],
    [
      "content of the consolidated list again, once the confirmation is older than the retrieval window",
      CONSOLIDATED,
      { published: START - 400 * DAY, confirmed: START - 4 * DAY },
      ["CONTENT", 0],
    ],
    [
      "retrieval of Commerce's list while its publisher confirms it",
      LIST_ROWS.US_TRADE_CSL.windows,
      { published: START - 100 * DAY, confirmed: START },
      ["RETRIEVAL", 96],
    ],
    [
      "one retrieval window after the operator accepted it although it is old",
      SDN,
      {
        seen: START - 30 * DAY,
        published: START - 900 * DAY,
        acceptances: [{ what: "OLD", reason: "drill", at: formatInstant(START) }],
      },
      ["RETRIEVAL", 72],
    ],
    [
      "one retrieval window after that acceptance, although its publisher confirmed it since",
      SDN,
      {
        seen: START,
        confirmed: START,
        published: START - 900 * DAY,
        acceptances: [{ what: "OLD", reason: "drill", at: formatInstant(START - 4 * DAY) }],
      },
      ["RETRIEVAL", -24],
    ],
    [
      "retrieval of an accepted consolidated list, which its publisher's confirmation keeps without an acceptance",
      CONSOLIDATED,
      {
        confirmed: START,
        published: START - 900 * DAY,
        acceptances: [{ what: "OLD", reason: "drill", at: formatInstant(START - 30 * DAY) }],
      },
      ["RETRIEVAL", 72],
    ],
    [
      "content age if the operator accepted only its size",
      SDN,
      { published: START - 900 * DAY, acceptances: [{ what: "SMALL", reason: "drill", at: formatInstant(START) }] },
      ["CONTENT", (-900 + 45) * 24],
    ],
  ]
  test.each(rows)("%s", (_what, windows, given, expected) => {
    expect(end(windows, given)).toEqual(expected as never)
  })
})

test("content is old from exactly its limit", () => {
  expect(isContentOld(START - 45 * DAY + 1, SDN.content, START)).toBe(false)
  expect(isContentOld(START - 45 * DAY, SDN.content, START)).toBe(true)
})
