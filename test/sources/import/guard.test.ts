import { describe, expect, test } from "bun:test"
import { guardAgainst, type Previous, removedIds } from "../../../src/sources/import/guard.ts"
import type { Counts } from "../../../src/sources/records/adapter.ts"
import type { Party } from "../../../src/sources/records/party.ts"

const NOW = Date.UTC(2026, 9, 9)
const OPTIONS = { shrinkFloor: 0.9, now: NOW }

const COUNTS: Counts = {
  entries: 1000,
  rows: 1000,
  mirrored: 0,
  aliases: 2000,
  addresses: 1500,
  identifiers: 900,
  persons: 500,
  orgs: 450,
  vessels: 47,
  aircraft: 3,
  unknown: 0,
  withBirthDate: 480,
  withCountry: 900,
  withProgram: 1000,
  withIdentifier: 600,
}

function party(entryId: string): Party {
  return {
    sourceId: "US_OFAC_SDN",
    entryId,
    type: "org",
    list: "SDN",
    programs: [],
    measure: "block",
    names: [{ text: `PARTY ${entryId}`, kind: "primary" }],
    identifiers: [],
    birthDates: [],
    countries: [],
    addresses: [],
    line: { file: "sdn.csv", number: 1 },
  }
}

const ids = Array.from({ length: 1000 }, (_, index) => String(index))
const previous: Previous = { counts: COUNTS, entryIds: new Set(ids), timestamp: "2026-10-01T00:00:00.000Z" }
const same = { counts: COUNTS, parties: ids.map(party), timestamp: "2026-10-02T00:00:00.000Z" }

function codes(next: Partial<typeof same>, before: Previous | null = previous): string[] {
  return guardAgainst(before, { ...same, ...next }, OPTIONS).map((finding) => finding.code)
}

describe("guardAgainst", () => {
  test("reports nothing for an equal list, and no change for a first list", () => {
    expect(codes({})).toEqual([])
    expect(codes({ counts: { ...COUNTS, entries: 1 }, parties: [party("0")] }, null)).toEqual([])
  })

  test.each([
    ["entries fall below the floor", { entries: 899 }, ["SHRUNK"]],
    ["entries stay at the floor", { entries: 900 }, []],
    ["one type falls while another grows", { persons: 440, orgs: 510 }, ["SHRUNK"]],
    ["a type of three entries loses two", { aircraft: 1 }, []],
    ["entries grow by more than half", { entries: 1501 }, ["EXPLODED"]],
    ["entries grow by half", { entries: 1500 }, []],
    ["dates of birth almost vanish", { withBirthDate: 119 }, ["FILL_RATE"]],
    ["dates of birth become a quarter", { withBirthDate: 120 }, []],
    ["programs vanish", { withProgram: 0 }, ["FILL_RATE"]],
  ] as const)("reports the right code when %s", (_, change, expected) => {
    expect(codes({ counts: { ...COUNTS, ...change } })).toEqual([...expected])
  })

  test("refuses when more than three in a hundred entries are removed, even if as many are new", () => {
    const replaced = (count: number) => [...ids.slice(count), ...ids.slice(0, count).map((id) => `new${id}`)].map(party)
    expect(codes({ parties: replaced(30) })).toEqual([])
    expect(codes({ parties: replaced(31) })).toEqual(["SHRUNK"])
  })

  test("refuses an older publication than the active one and accepts one of the same time", () => {
    expect(codes({ timestamp: "2026-09-30T23:59:59.000Z" })).toEqual(["OLDER_THAN_ACTIVE"])
    expect(codes({ timestamp: "2026-10-01T00:00:00.000Z" })).toEqual([])
  })

  test("refuses a publication more than 24 hours in the future, even the first one", () => {
    const at = (ms: number) => new Date(NOW + ms).toISOString()
    expect(codes({ timestamp: at(24 * 3_600_000 + 1) }, null)).toEqual(["SCHEMA_BREAK"])
    expect(codes({ timestamp: at(24 * 3_600_000) }, null)).toEqual([])
  })

  test("gives only hard findings", () => {
    const findings = guardAgainst(
      previous,
      { counts: { ...COUNTS, entries: 1 }, parties: [], timestamp: null },
      OPTIONS,
    )
    expect(findings.length).toBeGreaterThan(1)
    expect(findings.every((finding) => finding.severity === "hard")).toBe(true)
  })
})

test("removedIds returns the entries that the new snapshot does not have", () => {
  expect(removedIds(new Set(["1", "2", "3"]), [party("2"), party("4")])).toEqual(["1", "3"])
})
