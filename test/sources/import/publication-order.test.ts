import { expect, test } from "bun:test"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { publicationOrder } from "../../../src/sources/import/publication-order.ts"

const MIDNIGHT = Date.UTC(2026, 10, 20)
const FILE = "CONTENT"
const HEADER = "LAST_MODIFIED"

/** -1 if the next publication is older than the active one, 0 if both are of one day, 1 if it is newer. */
function order(active: readonly [string, number], next: readonly [string, number]): number {
  const [from, at] = next
  const row = { publishedAt: formatInstant(active[1]), publishedFrom: active[0] as typeof FILE, sourceTimestamp: null }
  const published = { at: formatInstant(at), from: from as typeof FILE }
  const { before, after } = publicationOrder(row, { timestamp: null, published })
  return Math.sign(Date.parse(after ?? "") - Date.parse(before ?? ""))
}

test.each([
  ["a file of the day before the header's hour", [HEADER, MIDNIGHT + HOUR], [FILE, MIDNIGHT - DAY], 0],
  ["a file of the header's day", [HEADER, MIDNIGHT + HOUR], [FILE, MIDNIGHT], 0],
  ["a file of two days before", [HEADER, MIDNIGHT + HOUR], [FILE, MIDNIGHT - 2 * DAY], -1],
  ["a header of the day after the file's", [FILE, MIDNIGHT], [HEADER, MIDNIGHT + DAY + HOUR], 1],
  ["two files of different days", [FILE, MIDNIGHT], [FILE, MIDNIGHT - DAY], -1],
  ["two headers an hour apart", [HEADER, MIDNIGHT + HOUR], [HEADER, MIDNIGHT], -1],
] as const)("the order is right for %s", (_, active, next, expected) => {
  expect(order(active, next)).toBe(expected)
})
