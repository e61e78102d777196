import { expect, test } from "bun:test"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { openBoard } from "../../../src/sources/boards/open-board.ts"
import { REMOVED_SCREENED_MS, removedParties, stillScreened } from "../../../src/sources/import/removed-parties.ts"
import type { Party } from "../../../src/sources/records/party.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { importBench, START } from "../import-bench.ts"

const party = (entryId: string, ...names: string[]): Party => ({
  sourceId: "US_OFAC_SDN",
  entryId,
  type: "org",
  list: "SDN",
  programs: ["SDGT"],
  measure: "block",
  names: names.map((text, at) => ({ text, kind: at === 0 ? "primary" : "aka" })),
  identifiers: [],
  birthDates: [],
  countries: [],
  addresses: [],
  line: { file: "sdn.csv", number: 1 },
})
const none = { removed: [] }

test("a removed entry stays under its id to hold, not to block", () => {
  const [kept, ...more] = removedParties(
    { ...none, parties: [party("1", "ONE"), party("2", "TWO")] },
    [party("2", "TWO")],
    START,
  )
  expect(more).toEqual([])
  expect(kept).toEqual({
    removedAt: formatInstant(START),
    party: { ...party("1", "ONE"), measure: "hold", list: "REMOVED_RECENTLY" },
  })
})

test("a renamed entry leaves only its lost names", () => {
  const before = { ...none, parties: [party("1", "ONE", "ALPHA")] }
  const [kept] = removedParties(before, [party("1", "ONE RENAMED", "ALPHA")], START)
  expect(kept?.party.names.map(({ text }) => text)).toEqual(["ONE"])
})

test("an earlier removal keeps its time, and ends when the entry returns or the time is over", () => {
  const first = removedParties({ ...none, parties: [party("1", "ONE"), party("2", "TWO")] }, [], START)
  const next = (parties: readonly Party[], now: number) => removedParties({ parties: [], removed: first }, parties, now)
  expect(next([], START + DAY).map(({ removedAt }) => removedAt)).toEqual(first.map(({ removedAt }) => removedAt))
  expect(next([party("1", "ONE")], START + DAY).map((one) => one.party.entryId)).toEqual(["2"])
  expect(next([], START + REMOVED_SCREENED_MS)).toEqual([])
})

test("the thirty days end exactly", () => {
  const removed = removedParties({ ...none, parties: [party("1", "ONE")] }, [], START)
  expect(stillScreened(removed, START + 30 * DAY - 1)).toEqual(removed)
  expect(stillScreened(removed, START + 30 * DAY)).toEqual([])
})

test("the first import has no removed entries", () => {
  expect(removedParties(null, [party("1", "ONE")], START)).toEqual([])
})

test("a delisted party is held for thirty days through later imports, and then is clear", async () => {
  await using bench = importBench()
  const SDN = "US_OFAC_SDN"
  const extraSdn = [{ number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]
  await bench.bring(SDN, bench.sdn({ extraSdn }))
  const stateAt = async (at: number) => {
    bench.machine.set(at)
    const { board } = await openBoard({
      ...bench,
      snapshotsDirectory: bench.root,
      sources: REQUIRED_US_SOURCES,
      disabled: [],
    })
    const query = {
      name: "Zephyr Marlowe Syndicate",
      type: "org",
      identifiers: [],
      countries: [],
      threshold: 0.8,
    } as const
    const { state, hits } = screen(board.index(), query)
    return [state, hits[0]?.list, hits[0]?.entryId]
  }
  expect(await stateAt(START)).toEqual(["MATCH", "SDN", "90101"])
  bench.machine.set(START + DAY)
  const refused = await bench.bring(SDN, bench.sdn())
  await bench.bring(SDN, bench.sdn(), { acceptShrink: refused.rawSha256 })
  expect(await stateAt(START + DAY)).toEqual(["POSSIBLE_MATCH", "REMOVED_RECENTLY", "90101"])
  bench.machine.set(START + 20 * DAY)
  await bench.bring(SDN, bench.sdn())
  expect(await stateAt(START + 31 * DAY - 1)).toEqual(["POSSIBLE_MATCH", "REMOVED_RECENTLY", "90101"])
  expect((await stateAt(START + 31 * DAY))[0]).toBe("CLEAR")
})
