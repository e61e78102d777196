import { describe, expect, test } from "bun:test"
import type { Log } from "../../src/base/log.ts"
import { Alarms } from "../../src/delivery/alarms.ts"

function openAlarms() {
  const raised: string[] = []
  const log = {
    error: (event: string, { attempt_id }: { attempt_id: string }) => raised.push(`${event} ${attempt_id}`),
  }
  const clock = { seconds: 0 }
  const alarms = new Alarms(log as unknown as Log, { monotonic: () => clock.seconds * 1000 })
  return { raised, clock, alarms }
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

test("a node that never shows a second block raises the alarm after 30 s", () => {
  const { raised, clock, alarms } = openAlarms()
  for (clock.seconds = 0; clock.seconds < 30; clock.seconds++) alarms.raiseAtSecondBlock("odd", "a", 7n)
  expect(raised).toEqual([])
  alarms.raiseAtSecondBlock("odd", "a", 7n)
  expect(raised).toEqual(["odd a"])
})

describe("more conditions than are kept", () => {
  const EVERY_ATTEMPT = Array.from({ length: 1_200 }, (_, attempt) => String(attempt))

  test("do not push each other out: a thousand get their alarm at the second block", () => {
    const { raised, alarms } = openAlarms()
    for (const block of [1n, 2n]) for (const attempt of EVERY_ATTEMPT) alarms.raiseAtSecondBlock("odd", attempt, block)
    expect(raised).toHaveLength(1_000)
  })

  test("take the places of those that ended, or that nobody saw for ten minutes", () => {
    const { raised, clock, alarms } = openAlarms()
    const see = (attempt: string, block: bigint | null) => alarms.raiseAtSecondBlock("odd", attempt, block)
    for (const attempt of EVERY_ATTEMPT) see(attempt, 1n)
    see("0", null)
    for (const block of [2n, 3n]) see("ended", block)
    expect(raised).toEqual(["odd ended"])
    clock.seconds = 600
    for (const block of [4n, 5n]) see("forgotten", block)
    expect(raised).toEqual(["odd ended", "odd forgotten"])
  })
})
