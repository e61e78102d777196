import { expect, test } from "bun:test"
import { HandOverPace } from "../../src/payments/hand-over-pace.ts"

const FAILED = { kind: "claims_failed", txHash: null, reason: "other" } as const
const SILENT = { kind: "no_answer", reason: "unreachable" } as const

test("a payment waits two seconds, then twice as long each time, at most a minute; other payments do not wait", () => {
  const pace = new HandOverPace()
  let now = 1_000_000
  for (const pause of [2, 4, 8, 16, 32, 60, 60]) {
    expect(pace.isDue("a", now)).toBe(true)
    pace.note("a", FAILED, now)
    expect(pace.isDue("b", now)).toBe(true)
    expect(pace.isDue("a", now + pause * 1000 - 1)).toBe(false)
    now += pause * 1000
  }
})

test("a missing response pauses every payment, and the first response ends the pause", () => {
  const pace = new HandOverPace()
  pace.note("a", SILENT, 0)
  expect([pace.isDue("b", 999), pace.isDue("b", 1000)]).toEqual([false, true])
  pace.note("b", SILENT, 1000)
  expect([pace.isDue("c", 2999), pace.isDue("c", 3000)]).toEqual([false, true])
  pace.note("c", FAILED, 3000)
  expect(pace.isDue("d", 3000)).toBe(true)
})

test("payments that fail together count as one silence, and an unreadable response counts as no response", () => {
  const pace = new HandOverPace()
  for (const payment of ["a", "b", "c"]) pace.note(payment, SILENT, 0)
  expect([pace.isDue("d", 999), pace.isDue("d", 1000)]).toEqual([false, true])
  pace.note("d", { kind: "no_answer", reason: "unreadable" }, 1000)
  expect(pace.isDue("e", 1000)).toBe(true)
})

test("Retry-After is respected up to five minutes", () => {
  const pace = new HandOverPace()
  pace.note("a", { ...SILENT, retryAfterMs: 40_000 }, 0)
  expect([pace.isDue("b", 39_999), pace.isDue("b", 40_000)]).toEqual([false, true])
  pace.note("b", { ...SILENT, retryAfterMs: 86_400_000 }, 40_000)
  expect([pace.isDue("c", 339_999), pace.isDue("c", 340_000)]).toEqual([false, true])
})

test("a clock that is set back does not make a payment wait longer", () => {
  const pace = new HandOverPace()
  pace.note("a", { ...SILENT, retryAfterMs: 300_000 }, 3_600_000)
  expect(pace.isDue("a", 10_000)).toBe(true)
})

test("ten thousand payments are remembered, and the oldest is forgotten first", () => {
  const pace = new HandOverPace()
  for (let payment = 0; payment <= 10_000; payment++) pace.note(`p${payment}`, FAILED, 0)
  expect([pace.isDue("p0", 1), pace.isDue("p1", 1), pace.isDue("p10000", 1)]).toEqual([true, false, false])
})
