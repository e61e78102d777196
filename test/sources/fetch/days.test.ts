/** Faults that end by themselves, and faults that last for days: real rounds with a clock that moves between them. */
import { expect } from "bun:test"
import { DAY, formatInstant, MINUTE } from "../../../src/core/time.ts"
import { fetchRound } from "../../../src/sources/fetch/fetch-round.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { status } from "../../fixtures/publisher.ts"
import { cslFile, sampleLists } from "../../fixtures/sample-lists.ts"
import { cslRows } from "../../fixtures/sample-parties.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { CROWD, CSL, fetchBench, listTarget, SDN } from "./fetch-bench.ts"

const test = slowTests(import.meta.path)

const CSL_FILE = "consolidated.csv"

test("a set with files of two publications is downloaded a second time, and the new list is imported", async () => {
  await using operator = await fetchBench()
  await operator.bring(SDN, sampleLists({ publishedAt: START, extraSdn: CROWD })[SDN])
  operator.machine.set(START + DAY)
  const newer = sampleLists({
    publishedAt: START + DAY,
    extraSdn: [...CROWD, { number: 90300, name: "ZEPHYR MARLOWE", programs: ["SDGT"] }],
  })[SDN]
  operator.offer(SDN, sampleLists({ publishedAt: START, extraSdn: CROWD })[SDN])
  operator.offer(SDN, newer.slice(0, 1))
  const context = operator.context()
  const wait = context.wait
  const report = await fetchRound(listTarget(ADAPTERS[SDN], operator), {
    ...context,
    wait: async (ms) => {
      await wait(ms)
      operator.offer(SDN, newer)
    },
  })
  expect([report.outcome, report.active?.entries, operator.waited]).toEqual(["IMPORTED", 66, [20_000]])
  expect(operator.events().map(({ kind }) => kind)).toEqual(["IMPORTED", "REFUSED", "IMPORTED"])
})

test("a list without an answer for four days is healthy, then ageing, then STALE, and HEALTHY again after a new import", async () => {
  await using operator = await fetchBench()
  operator.offer(CSL, sampleLists({ publishedAt: START })[CSL])
  await operator.round(CSL)
  operator.answer(CSL, CSL_FILE, status(500))
  const seen: (readonly [string, readonly string[]])[] = []
  for (let day = 1; day <= 4; day += 1) {
    operator.machine.set(START + day * DAY)
    expect((await operator.round(CSL)).outcome).toBe("FAILED")
    const { health, reasonCodes } = await operator.state(CSL)
    seen.push([health, reasonCodes])
  }
  expect(seen).toEqual([
    ["HEALTHY", []],
    ["HEALTHY", ["SOURCE_AGING"]],
    ["HEALTHY", ["SOURCE_AGING"]],
    ["STALE", ["SOURCE_STALE"]],
  ])
  expect(await operator.check(CSL)).toMatchObject({ failures: 4, checkedAt: formatInstant(START) })
  operator.offer(CSL, [cslFile([...cslRows, { ...cslRows[0], _id: "another", entity_number: "" }])])
  operator.machine.set(START + 4 * DAY + MINUTE)
  await operator.round(CSL)
  expect(await operator.check(CSL)).toMatchObject({ failures: 0, checkedAt: operator.now() })
  expect((await operator.state(CSL)).health).toBe("HEALTHY")
})
