/** The customers that a change of the lists touches, against a full screening of all customers with both lists. */
import { expect } from "bun:test"
import { touchedBy } from "../../../src/cli/screening/touched-customers.ts"
import type { Party } from "../../../src/sources/records/party.ts"
import { differingParties } from "../../../src/sources/screening/list-changes.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import type { NameRow } from "../../../src/sources/screening/names-file.ts"
import { type ScreenResult, screen } from "../../../src/sources/screening/screen.ts"
import { entryHash, NO_SUPPRESSIONS } from "../../../src/sources/screening/suppress.ts"
import { chance } from "../../fixtures/chance.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const THRESHOLD = 0.8
const ENTRIES = 1500
const CUSTOMERS = 1200
const SYLLABLES = ["ba", "dor", "fu", "gil", "ke", "lom", "mu", "nir", "pa", "ros", "su", "tev", "we", "xan", "zi"]
const WORDS = ["trading", "bank", "shipping", "international", "holding", "oil"]

const random = chance(45)
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
const word = () => Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(SYLLABLES)).join("")
const name = () => `${word()} ${word()}${random() < 0.4 ? ` ${pick(WORDS)}` : ""}`

function party(entryId: string, names: readonly string[]): Party {
  return {
    ...{ sourceId: "US_OFAC_SDN", entryId, type: random() < 0.5 ? "person" : "org", list: "SDN", programs: ["X"] },
    ...{ measure: "block", names: names.map((text, at) => ({ text, kind: at === 0 ? "primary" : "aka" })) },
    ...{ identifiers: [], birthDates: [], countries: [], addresses: [], line: { file: "sdn.csv", number: 1 } },
  } as Party
}

/** One letter is left out. */
function misspelt(text: string): string {
  const at = 1 + Math.floor(random() * (text.length - 2))
  return text.slice(0, at) + text.slice(at + 1)
}

/** Two sets of parties: thirty entries are new, thirty have another name, thirty are gone. */
function changedLists() {
  const before = Array.from({ length: ENTRIES }, (_, at) =>
    party(String(at), [name(), ...(at % 3 === 0 ? [name()] : [])]),
  )
  const kept = before
    .slice(30)
    .map((one, at) => (at < 30 ? { ...one, names: [...one.names, ...party("", [name()]).names] } : one))
  const added = Array.from({ length: 30 }, (_, at) => party(String(ENTRIES + at), [name(), name()]))
  return { before, after: [...kept, ...added] }
}

function customersOf(lists: readonly (readonly Party[])[]): readonly NameRow[] {
  const changed = lists.flatMap((list) => [...list.slice(0, 60), ...list.slice(-30)])
  return Array.from({ length: CUSTOMERS }, (_, at) => {
    const kind = at % 6
    const listed = pick(kind < 2 ? changed : lists.flat())
    const text = pick(listed.names).text
    const typed = kind < 4 ? (random() < 0.5 ? text : misspelt(text)) : name()
    return { line: at + 2, id: String(at), name: typed, type: null, country: null }
  })
}

/** State and hits, in the entries' own content. */
function hitsOf(parties: readonly Party[], { hits, state }: ScreenResult): string {
  const content = new Map(parties.map((one) => [one.entryId, entryHash(one)]))
  return JSON.stringify([state, hits.map(({ entryId, tier }) => [entryId, content.get(entryId), tier]).sort()])
}

test("the touched customers with their new results, and the others with their old ones, are a full screening", () => {
  const { before, after } = changedLists()
  const customers = customersOf([before, after])
  const [then, today] = [
    new NameIndex({ snapshotIds: {}, parties: before }),
    new NameIndex({ snapshotIds: {}, parties: after }),
  ]
  const touched = touchedBy(
    { earlier: before, today: after, snapshotIds: {}, sources: [], suppressions: NO_SUPPRESSIONS, at: 0 },
    THRESHOLD,
  )
  const differing = differingParties(before, after)
  expect([differing.before.size, differing.after.size]).toEqual([60, 60])
  const changedIds = new Set([
    ...[...differing.before].map((at) => before[at]?.entryId),
    ...[...differing.after].map((at) => after[at]?.entryId),
  ])
  const counts = { touched: 0, differ: 0, moved: 0, untouched: 0 }
  for (const row of customers) {
    const query = { name: row.name, type: row.type, identifiers: [], countries: [], threshold: THRESHOLD }
    const full = { before: screen(then, query), after: screen(today, query) }
    const found = touched(row)
    const named = [full.before, full.after].flatMap(({ hits, nearMisses }) => [...hits, ...nearMisses])
    const differs = hitsOf(before, full.before) !== hitsOf(after, full.after)
    const isNamed = named.some(({ entryId }) => changedIds.has(entryId))
    expect([row.name, found !== null]).toEqual([row.name, isNamed || differs])
    if (found) expect([found.before, found.after]).toEqual([full.before, full.after])
    if (differs && !isNamed) expect(found?.entries).toEqual([])
    counts.moved += differs && !isNamed ? 1 : 0
    counts.touched += found ? 1 : 0
    counts.untouched += found ? 0 : 1
    counts.differ += differs ? 1 : 0
  }
  expect(counts.differ).toBeGreaterThan(200)
  // These differ although no entry of theirs changed: the weight of a word did.
  expect(counts.moved).toBeGreaterThan(0)
  expect(counts.untouched).toBeGreaterThan(400)
})

test("without a change nobody is touched", () => {
  const { before } = changedLists()
  const same = {
    earlier: before,
    today: [...before].reverse(),
    snapshotIds: {},
    sources: [],
    suppressions: NO_SUPPRESSIONS,
    at: 0,
  }
  const touched = touchedBy(same, THRESHOLD)
  expect(customersOf([before, before]).filter((row) => touched(row) !== null)).toEqual([])
})
