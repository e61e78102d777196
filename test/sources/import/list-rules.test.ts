import { describe, expect, test } from "bun:test"
import { readTables } from "../../../src/sources/boards/list-tables.ts"
import { judge } from "../../../src/sources/import/judge.ts"
import { countRemovedParties, LIST_RULES } from "../../../src/sources/import/list-rules.ts"
import type { Counts } from "../../../src/sources/records/adapter.ts"
import type { Party } from "../../../src/sources/records/party.ts"
import { activeSnapshotRow } from "../../fixtures/snapshot-judgement.ts"

const NOW = Date.UTC(2026, 9, 9)

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
const previous = { counts: COUNTS, parties: ids.map(party), timestamp: "2026-10-01T00:00:00.000Z" }
const same = { counts: COUNTS, parties: ids.map(party), timestamp: "2026-10-02T00:00:00.000Z" as string | null }

function findingsOf(next: Partial<typeof same>, before: typeof previous | null = previous) {
  const { counts, parties, timestamp } = { ...same, ...next }
  const candidate = {
    ...{
      inputFindings: [],
      readingFindings: [],
      isReadable: true,
      timestamp,
      published: null,
      retrievedAt: NOW,
      now: NOW,
    },
    ...{ accepted: false, shrinkFloor: 0.9, entries: counts.entries, counts: { ...counts }, parties },
    ...{ canaries: [], mirrors: [], actives: [], wordRules: [], words: {}, wordsBefore: null },
    tables: () => readTables({ parties, removed: [] }, NOW),
  }
  const active = before && {
    row: {
      ...activeSnapshotRow("US_OFAC_SDN", NOW),
      ...{ entries: before.counts.entries, counts: JSON.stringify(before.counts), sourceTimestamp: before.timestamp },
    },
    fault: null,
    removed: countRemovedParties(before.parties, parties),
  }
  return judge(LIST_RULES, candidate, active)
}

function codes(next: Partial<typeof same>, before: typeof previous | null = previous): string[] {
  return findingsOf(next, before).map((finding) => finding.code)
}

describe("the rules for a list", () => {
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
    const findings = findingsOf({ counts: { ...COUNTS, entries: 1 }, parties: [], timestamp: null })
    expect(findings.length).toBeGreaterThan(1)
    expect(findings.every((finding) => finding.severity === "hard")).toBe(true)
  })
})

test("the entries that the new snapshot does not have are counted", () => {
  expect(countRemovedParties(["1", "2", "3"].map(party), [party("2"), party("4")])).toEqual({ count: 2, of: 3 })
})
