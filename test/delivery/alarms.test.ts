import { expect, test } from "bun:test"
import { Alarms } from "../../src/delivery/alarms.ts"
import type { Log } from "../../src/log.ts"

function openAlarms() {
  const raised: string[] = []
  const log = {
    error: (event: string, { attempt_id }: { attempt_id: string }) => raised.push(`${event} ${attempt_id}`),
  }
  return { raised, alarms: new Alarms(log as unknown as Log, { monotonic: () => 0 }) }
}

test("a condition that one block shows by accident raises no alarm until a later block shows it too", () => {
  const { raised, alarms } = openAlarms()
  for (const block of [7n, 7n, 6n]) alarms.raiseAtSecondBlock("odd", "a", block)
  alarms.raiseAtSecondBlock("odd", "b", 9n)
  expect(raised).toEqual([])
  for (const block of [8n, 9n]) alarms.raiseAtSecondBlock("odd", "a", block)
  expect(raised).toEqual(["odd a"])
})

test("a condition that went away waits for its second block again", () => {
  const { raised, alarms } = openAlarms()
  for (const block of [7n, null, 8n, null, 9n, 9n]) alarms.raiseAtSecondBlock("odd", "a", block)
  expect(raised).toEqual([])
  alarms.raiseAtSecondBlock("odd", "a", 10n)
  expect(raised).toEqual(["odd a"])
})

test("only the last thousand conditions are kept, so that the memory is bounded", () => {
  const { raised, alarms } = openAlarms()
  for (let attempt = 0; attempt <= 1_000; attempt++) alarms.raiseAtSecondBlock("odd", String(attempt), 1n)
  for (const attempt of ["1000", "1"]) alarms.raiseAtSecondBlock("odd", attempt, 2n)
  alarms.raiseAtSecondBlock("odd", "0", 2n)
  expect(raised).toEqual(["odd 1000", "odd 1"])
})
