/** Thousands of people share a common name. A namesake in the same country is no reason to block; a person must decide. */
import { describe, expect, test } from "bun:test"
import { commonNames, longCommonNames } from "../../../scripts/bench/screening/common-names.ts"
import { blockedByCountry } from "../../../scripts/bench/screening/measure-quality.ts"
import { sanctionsParties } from "../../../scripts/bench/screening/published-parties.ts"
import type { Party } from "../../../src/sources/records/party.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const LISTS = process.env["BIZAUTH_LISTS"]
const NAMES = commonNames()
const LONG = longCommonNames()
const person = (name: string): Party => party({ name, type: "person", entryId: name, countries: ["XX"] })

test("the list has 3,000 names, each once", () => {
  expect([NAMES.length, new Set(NAMES).size]).toEqual([3000, 3000])
})

test("the list of longer names has names of four words and more, each once", () => {
  expect(LONG.length).toBeGreaterThan(100)
  expect(new Set(LONG).size).toBe(LONG.length)
  for (const name of LONG) expect(name.split(" ").length).toBeGreaterThanOrEqual(4)
})

describe("a common name never blocks by name and country", () => {
  test("on a list with few other names, where every word is rare", () => {
    const some = [...NAMES.filter((_, at) => at % 10 === 0), ...LONG]
    const blocked = some.filter((name) => {
      const { state, hits } = screen(indexOf(person(name)), query(name, { type: "person", countries: ["XX"] }))
      expect([name, hits[0]?.entryId, hits[0]?.corroboration.country]).toEqual([name, name, "MATCH"])
      return state === "MATCH"
    })
    expect(blocked).toEqual([])
  })

  test.skipIf(LISTS === undefined)(
    "on the published lists, whichever parties they list",
    () => {
      expect(blockedByCountry(sanctionsParties(LISTS!), [...NAMES, ...LONG])).toEqual([])
    },
    120_000,
  )

  test.skipIf(LISTS === undefined)(
    "on the published lists with persons of these names added",
    () => {
      const some = [...NAMES.filter((_, at) => at % 30 === 0), ...LONG]
      expect(blockedByCountry([...sanctionsParties(LISTS!), ...some.map(person)], some)).toEqual([])
    },
    120_000,
  )
})

test("a rare full name with the country blocks, and so does a day of birth with any name, or a year of birth with the country", () => {
  const rare = "Zhuravelnikov Thaddaeus Bartolomievich Okonjewski Wenceslaus Quirinius"
  const block = (name: string, rest: Parameters<typeof query>[1]) =>
    screen(
      indexOf(party({ name, type: "person", countries: ["BY"], birthDates: ["27 Dec 1966"] })),
      query(name, { type: "person", ...rest }),
    ).state
  expect(block(rare, { countries: ["BY"] })).toBe("MATCH")
  expect(block(rare, {})).toBe("POSSIBLE_MATCH")
  expect(block("John Smith", { countries: ["BY"] })).toBe("POSSIBLE_MATCH")
  expect(block("John Smith", { birthDates: ["1966-12-27"] })).toBe("MATCH")
  expect(block("John Smith", { birthDates: ["1966"] })).toBe("POSSIBLE_MATCH")
  expect(block("John Smith", { birthDates: ["1966"], countries: ["BY"] })).toBe("MATCH")
  expect(block(rare, { birthDates: ["1966"] })).toBe("MATCH")
})
