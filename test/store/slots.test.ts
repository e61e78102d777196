/** Counts with a row for each slot: the program counts in its own row, and every reader adds the rows up. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { countEvent, countsSince, purgeCounts } from "../../src/store/agent-mode/beacon-counters.ts"
import { attemptCounts, countMove } from "../../src/store/payments/attempt-counts.ts"
import { countDecision, decisionCounts } from "../../src/store/sales/decision-counts.ts"
import { moneyStore } from "./money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

test("attempts are counted over all slots, also where fewer entered a state than left it", async () => {
  await store.write("UPDATE attempt_count SET entered = 5, present = 3 WHERE state = 'RESERVED'")
  // No slot of the program is that high.
  await store.write("UPDATE attempt_count SET slot = 300")
  await store.run(() => countMove("RESERVED", "SETTLED"))
  await store.run(() => countMove(null, "RESERVED"))
  await store.run(() => countMove("RESERVED", "FAILED"))
  const counts = await store.run(attemptCounts)
  expect(counts).toHaveLength(7)
  const of = (name: string) => counts.find(({ state }) => state === name)
  expect(of("RESERVED")).toEqual({ state: "RESERVED", entered: 6, present: 2 })
  expect(of("SETTLED")).toEqual({ state: "SETTLED", entered: 1, present: 1 })
  expect(of("FAILED")).toEqual({ state: "FAILED", entered: 1, present: 1 })
  expect(of("VERIFIED")).toEqual({ state: "VERIFIED", entered: 0, present: 0 })
  const own = await store.rows(
    "SELECT sum(entered) AS entered, sum(present) AS present FROM attempt_count WHERE slot <> 300 AND state = 'RESERVED'",
  )
  expect(own).toEqual([{ entered: 1, present: -1 }])
})

test("an attempt that enters its own state again is counted, and present once", async () => {
  await store.run(() => countMove(null, "SETTLING"))
  await store.run(() => countMove("SETTLING", "SETTLING"))
  const counts = await store.run(attemptCounts)
  expect(counts).toContainEqual({ state: "SETTLING", entered: 2, present: 1 })
})

test("decisions are counted over all slots", async () => {
  await store.write("INSERT INTO decision_count (product, decision, slot, answers) VALUES ('p', 'ALLOW', 7, 3)")
  for (let n = 0; n < 2; n++) await store.run(() => countDecision("p", "ALLOW"))
  await store.run(() => countDecision("p", "BLOCK"))
  expect(await store.run(decisionCounts)).toEqual([
    { product: "p", decision: "ALLOW", answers: 5 },
    { product: "p", decision: "BLOCK", answers: 1 },
  ])
})

test("events are counted and limited over all slots, and the rows of all slots of a day are removed", async () => {
  const event = { day: "2026-01-02", eventKind: "INTENT_OPENED", productId: "", channel: "http-api" }
  for (let slot = 1; slot <= 3; slot++)
    await store.write(
      "INSERT INTO beacon_count SELECT column1, 'INTENT_OPENED', '', 'http-api', ?1, 2 FROM (VALUES ('2026-01-01'), ('2026-01-02'))",
      slot,
    )
  for (let n = 0; n < 2; n++) await store.run(() => countEvent(event))
  expect(await store.run(() => countsSince("2026-01-01", 10))).toEqual([
    { ...event, day: "2026-01-01", events: 6 },
    { ...event, events: 8 },
  ])
  expect(await store.run(() => countsSince("2026-01-01", 1))).toHaveLength(1)
  expect(await store.run(() => purgeCounts("2026-01-02"))).toBe(3)
  expect(await store.run(() => countsSince("2026-01-01", 10))).toEqual([{ ...event, events: 8 }])
})
