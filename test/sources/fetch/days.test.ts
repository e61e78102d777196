/** Faults that end by themselves, and faults that last for days: real rounds with a clock that moves between them. */
import { expect, test } from "bun:test"
import { DAY, formatInstant, MINUTE } from "../../../src/core/time.ts"
import { fetchRound } from "../../../src/sources/fetch/fetch-round.ts"
import { listTarget } from "../../../src/sources/fetch/fetch-target.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { status } from "../../fixtures/publisher.ts"
import { cslFile, sampleLists } from "../../fixtures/sample-lists.ts"
import { cslRows } from "../../fixtures/sample-parties.ts"
import { START } from "../import-bench.ts"
import { CROWD, CSL, fetchBench, SDN } from "./fetch-bench.ts"

const CSL_FILE = "consolidated.csv"

test("a set with files of two publications is downloaded a second time, and the new list is imported", async () => {
  await using desk = await fetchBench()
  await desk.bring(SDN, sampleLists({ publishedAt: START, extraSdn: CROWD })[SDN])
  desk.machine.set(START + DAY)
  const newer = sampleLists({
    publishedAt: START + DAY,
    extraSdn: [...CROWD, { number: 90300, name: "ZEPHYR MARLOWE", programs: ["SDGT"] }],
  })[SDN]
  desk.offer(SDN, sampleLists({ publishedAt: START, extraSdn: CROWD })[SDN])
  desk.offer(SDN, newer.slice(0, 1))
  const context = desk.context()
  const wait = context.wait
  const report = await fetchRound(listTarget(ADAPTERS[SDN], desk), {
    ...context,
    wait: async (ms) => {
      await wait(ms)
      desk.offer(SDN, newer)
    },
  })
  expect([report.outcome, report.active?.entries, desk.waited]).toEqual(["IMPORTED", 66, [20_000]])
  expect(desk.events().map(({ kind }) => kind)).toEqual(["IMPORTED", "REFUSED", "IMPORTED"])
})

test("a list without an answer for four days is healthy, then ageing, then STALE, and HEALTHY again after a new import", async () => {
  await using desk = await fetchBench()
  desk.offer(CSL, sampleLists({ publishedAt: START })[CSL])
  await desk.round(CSL)
  desk.answer(CSL, CSL_FILE, status(500))
  const seen: (readonly [string, readonly string[]])[] = []
  for (let day = 1; day <= 4; day += 1) {
    desk.machine.set(START + day * DAY)
    expect((await desk.round(CSL)).outcome).toBe("FAILED")
    const { health, reasonCodes } = await desk.state(CSL)
    seen.push([health, reasonCodes])
  }
  expect(seen).toEqual([
    ["HEALTHY", []],
    ["HEALTHY", ["SOURCE_AGING"]],
    ["HEALTHY", ["SOURCE_AGING"]],
    ["STALE", ["SOURCE_STALE"]],
  ])
  expect(await desk.check(CSL)).toMatchObject({ failures: 4, checkedAt: formatInstant(START) })
  desk.offer(CSL, [cslFile([...cslRows, { ...cslRows[0], _id: "another", entity_number: "" }])])
  desk.machine.set(START + 4 * DAY + MINUTE)
  await desk.round(CSL)
  expect(await desk.check(CSL)).toMatchObject({ failures: 0, checkedAt: desk.now() })
  expect((await desk.state(CSL)).health).toBe("HEALTHY")
})
