/**
 * What a payer can change in a listed name, and which ordinary names alert, on the publishers' own lists. `bun scripts/bench-screening.ts --lists
 * FOLDER --dodges` prints the figures; the limits here are what must hold.
 */
import { beforeAll, describe, expect, test } from "bun:test"
import {
  type AlertGroup,
  alertGroups,
  alertsOf,
  type DodgeRow,
  dodgeCases,
  dodgeRows,
  type Engine,
} from "../../../scripts/bench/screening/measure-dodges.ts"
import { samParties, sanctionsParties } from "../../../scripts/bench/screening/published-parties.ts"
import { registerFirms } from "../../../scripts/bench/screening/register-firms.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { screen } from "../../../src/sources/screening/screen.ts"

const LISTS = process.env["BIZAUTH_LISTS"]
const FIRMS = process.env["BIZAUTH_FIRMS"]
const why = LISTS === undefined ? " (NOT RUN: BIZAUTH_LISTS names no folder of published lists)" : ""

/** Least share of a class that is found; the others need 0.6. */
const LEAST: Readonly<Record<string, number>> = {
  "trade word left out": 100 / 120,
  "trade word exchanged": 90 / 106,
  "word added": 0.9,
  "legal form changed": 1,
  "acronym written otherwise": 1,
  "Cyrillic letters": 0.95,
}
const LEAST_OF_A_CLASS = 0.6
const LEAST_OF_ALL = 0.85

/** Most alerts of a group. */
const MOST: Readonly<Record<string, number>> = {
  "20,000 firms of a register": 160,
  "500 British firms": 14,
  "household names and generic names": 25,
  "1,000 US persons": 7,
  "300 names of six origins": 68,
}

describe.skipIf(LISTS === undefined)(`a changed name of a listed party, and names of others${why}`, () => {
  const engine: Engine = { screen, indexOf: (parties) => new NameIndex({ snapshotIds: {}, parties }) }
  let index: NameIndex
  let rows: readonly DodgeRow[] = []
  let groups: readonly AlertGroup[] = []
  beforeAll(() => {
    const parties = [...sanctionsParties(LISTS!), ...samParties(LISTS!)]
    index = engine.indexOf(parties)
    rows = dodgeRows(engine, index, dodgeCases(parties))
    groups = alertGroups(LISTS!, registerFirms(FIRMS))
  }, 120_000)

  test("is found in each class of changes", () => {
    expect(rows.length).toBeGreaterThan(20)
    for (const { label, cases, missed } of rows) {
      const least = LEAST[label] ?? LEAST_OF_A_CLASS
      expect({ label, isFound: (cases - missed.length) / cases >= least, missed: missed.length }).toMatchObject({
        isFound: true,
      })
    }
  })

  test("is found over all classes", () => {
    const cases = rows.reduce((sum, row) => sum + row.cases, 0)
    const missed = rows.reduce((sum, row) => sum + row.missed.length, 0)
    expect(cases).toBeGreaterThan(1_500)
    expect((cases - missed) / cases).toBeGreaterThanOrEqual(LEAST_OF_ALL)
  })

  test.each(Object.entries(MOST))("%s alert at most %d times", (label, most) => {
    const group = groups.find((one) => one.label === label)
    expect(group).toBeDefined()
    if (group?.names === null) console.log(`NOT RUN: ${label}: BIZAUTH_FIRMS names no register of firms`)
    else expect(alertsOf(engine, index, group!).length).toBeLessThanOrEqual(most)
  })
})
