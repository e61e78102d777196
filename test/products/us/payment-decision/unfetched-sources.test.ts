/** Lists that were fetched and then no longer: the sale's response day by day. Nothing is charged and nothing is written. */
import { afterAll, beforeAll, expect } from "bun:test"
import { DAY, MINUTE } from "../../../../src/core/time.ts"
import { openBoard } from "../../../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../../../src/sources/records/party.ts"
import { status } from "../../../fixtures/publisher.ts"
import { sampleLists } from "../../../fixtures/sample-lists.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"
import { CSL, type FetchBench, fetchBench } from "../../../sources/fetch/fetch-bench.ts"
import { healthyBoard, openSeller, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

let seller: Seller
let operator: FetchBench
beforeAll(async () => {
  seller = await openSeller()
  operator = await fetchBench()
})
afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await seller.close()
})

/** The unpaid response, with the sources as a server that starts now would find them. */
async function requests() {
  const { board } = await openBoard({
    ...operator,
    snapshotsDirectory: operator.root,
    sources: REQUIRED_US_SOURCES,
    disabled: [],
  })
  seller.useBoard(board)
  const refusal = await seller.refused(freshRequest())
  seller.useBoard(healthyBoard)
  return [refusal.status, refusal.code, refusal.headers.has("retry-after")]
}

/** All four lists, `days` ago, and one round of each every day since then; `answer` is the response of CSL's publisher to those. */
async function polled(days: number, isSilent: boolean) {
  const now = Date.now() - MINUTE
  operator.machine.set(now - days * DAY)
  const lists = sampleLists({ publishedAt: operator.machine.now() })
  for (const id of REQUIRED_US_SOURCES) operator.offer(id, lists[id])
  for (const id of REQUIRED_US_SOURCES) expect((await operator.round(id)).outcome).toBe("IMPORTED")
  if (isSilent) operator.answer(CSL, "consolidated.csv", status(500))
  const outcomes: string[] = []
  for (let day = days - 1; day >= 0; day -= 1) {
    operator.machine.set(now - day * DAY)
    for (const id of REQUIRED_US_SOURCES) {
      // SAM's file is named by its day, so each day has its own file.
      if (id === "US_SAM_EXCLUSIONS") operator.offer(id, sampleLists({ publishedAt: operator.machine.now() })[id])
      const { outcome } = await operator.round(id)
      if (id === CSL) outcomes.push(outcome)
    }
  }
  return outcomes
}

test("a week of 304 responses from a mirror gives 503 SOURCE_STALE, because a mirror confirms nothing", async () => {
  expect(await polled(7, false)).toEqual(Array(7).fill("NOT_MODIFIED"))
  expect(await requests()).toEqual([503, "SOURCE_STALE", true])
})

test("four days without a response of one publisher give 503 SOURCE_STALE before any quote, though the others are fresh", async () => {
  await operator[Symbol.asyncDispose]()
  operator = await fetchBench()
  expect(await polled(4, true)).toEqual(Array(4).fill("FAILED"))
  expect(await requests()).toEqual([503, "SOURCE_STALE", true])
})
