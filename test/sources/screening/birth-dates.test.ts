import { expect, test } from "bun:test"
import { compareBirthDates, shareBirthDay } from "../../../src/sources/screening/birth-dates.ts"

test.each([
  ["1966-12-27", "27 Dec 1966", "MATCH"],
  ["1966-12-27", "Dec 1966", "MATCH"],
  ["1966-12-27", "1966", "MATCH"],
  ["1966-12-27", "circa 1965", "MATCH"],
  ["1966-12-27", "1965 to 1967", "MATCH"],
  ["1966-12-27", "27/12/1966", "MATCH"],
  ["1966-12-27", "00/00/1966", "MATCH"],
  ["1966-12-27", "dd/mm/1966", "MATCH"],
  ["1966-12-27", "dd/12/1966", "MATCH"],
  ["1966-12-27", "dd/11/1966", "CONFLICT"],
  ["1966-12-27", "dd/mm/1967", "CONFLICT"],
  ["1966-12-27", "27/12/19yy", "ABSENT"],
  ["1966-12-27", "28 Dec 1966", "CONFLICT"],
  ["1966-12-27", "Nov 1966", "CONFLICT"],
  ["1966-12-27", "circa 1963", "CONFLICT"],
  ["1966-12-27", "1958", "CONFLICT"],
  ["1966-12-27", "unknown", "ABSENT"],
  ["", "1966", "ABSENT"],
] as const)("%p compared with the listed %p gives %s", (query, listed, expected) => {
  expect(compareBirthDates([query], [listed])).toBe(expected)
})

test("one matching date among several is a match", () => {
  expect(compareBirthDates(["1966-12-27"], ["1958", "27 Dec 1966"])).toBe("MATCH")
})

test.each([
  ["1966-12-27", "27 Dec 1966", true],
  ["1966-12-27", "27/12/1966", true],
  ["1966-12-27", "1966-12-27", true],
  ["1966-12-27", "28 Dec 1966", false],
  ["1966-12-27", "Dec 1966", false],
  ["1966-12-27", "dd/12/1966", false],
  ["1966-12-27", "1966", false],
  ["1966-12-27", "circa 1966", false],
  ["1966", "27 Dec 1966", false],
  ["1966", "1966", false],
])("%p and the listed %p have the same day: %p", (query, listed, expected) => {
  expect(shareBirthDay([query], [listed])).toBe(expected)
})
