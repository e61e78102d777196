import { expect, test } from "bun:test"
import fc from "fast-check"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { backoff, type LastCheck, nextAttempt } from "../../../src/sources/publication/next-attempt.ts"
import type { Poll } from "../../../src/sources/publication/poll.ts"

const AT = Date.UTC(2026, 10, 20, 12)
const HOURLY: Poll = { every: HOUR, fromHour: null, expectedAt: null }
const MONTHLY: Poll = { every: 30 * DAY, fromHour: null, expectedAt: null }

const last = (given: Partial<LastCheck> = {}): LastCheck => ({
  sourceId: "US_OFAC_SDN",
  attemptedAt: formatInstant(AT),
  outcome: "NOT_MODIFIED",
  failures: 0,
  retryAfterUntil: null,
  ...given,
})

const failed = (failures: number, given: Partial<LastCheck> = {}) => last({ outcome: "FAILED", failures, ...given })

const rows: readonly [why: string, poll: Poll, last: LastCheck, wait: number][] = [
  ["an answer: after the rhythm", HOURLY, last(), HOUR],
  ["an import: the same", HOURLY, last({ outcome: "IMPORTED" }), HOUR],
  ["a refused publication: the same", HOURLY, last({ outcome: "REFUSED" }), HOUR],
  ["a refused monthly one: after a day", MONTHLY, last({ outcome: "REFUSED" }), DAY],
  ["a first failure: after five minutes", HOURLY, failed(1), 5 * MINUTE],
  ["a second: ten", HOURLY, failed(2), 10 * MINUTE],
  ["a fourth: forty", HOURLY, failed(4), 40 * MINUTE],
  ["a fifth: no longer than the rhythm", HOURLY, failed(5), HOUR],
  ["a thousandth: the same", HOURLY, failed(1000), HOUR],
  ["many of a monthly one: no longer than a day", MONTHLY, failed(40), DAY],
]
test.each(rows)("%s", (_why, poll, check, wait) => {
  const due = nextAttempt(poll, check, AT + MINUTE)
  expect(due).toBeGreaterThanOrEqual(AT + wait)
  expect(due).toBeLessThanOrEqual(AT + wait + Math.min(wait / 10, 10 * MINUTE))
})

test("a publisher that was never asked is asked at once", () => {
  expect(nextAttempt(HOURLY, null, AT)).toBe(AT)
})

test("a register that was brought by hand is asked for when its next publication is due, or at once when that has passed", () => {
  expect(nextAttempt({ ...MONTHLY, expectedAt: AT + 9 * DAY }, null, AT)).toBe(AT + 9 * DAY)
  expect(nextAttempt({ ...MONTHLY, expectedAt: AT - DAY }, null, AT)).toBe(AT)
})

test("Retry-After is honoured, up to a day; it never makes an attempt earlier", () => {
  const asked = (until: number) => nextAttempt(HOURLY, failed(1, { retryAfterUntil: formatInstant(until) }), AT)
  expect(asked(AT + 3 * HOUR)).toBe(AT + 3 * HOUR)
  expect(asked(AT + 365 * DAY)).toBe(AT + DAY)
  expect(asked(AT + 1)).toBe(nextAttempt(HOURLY, failed(1), AT))
})

test("a row from the future does not silence a source until then", () => {
  expect(nextAttempt(HOURLY, last(), AT - DAY)).toBe(AT - DAY)
  expect(nextAttempt(HOURLY, last(), AT - MINUTE)).toBeGreaterThan(AT)
})

test("attempts of many installations are spread, and each is told the same time twice", () => {
  const dues = Array.from({ length: 200 }, (_, at) => last({ attemptedAt: formatInstant(AT + at) })).map(
    (check) => nextAttempt(HOURLY, check, AT + 1000) - Date.parse(check.attemptedAt) - HOUR,
  )
  expect(new Set(dues).size).toBeGreaterThan(190)
  expect(Math.max(...dues) - Math.min(...dues)).toBeGreaterThan(5 * MINUTE)
  expect(nextAttempt(HOURLY, last(), AT)).toBe(nextAttempt(HOURLY, last(), AT + HOUR))
})

test("the wait after failures never falls and has a ceiling", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (failures) => {
      expect(backoff(HOURLY, failures + 1)).toBeGreaterThanOrEqual(backoff(HOURLY, failures))
      expect(backoff(HOURLY, failures)).toBeLessThanOrEqual(HOUR)
    }),
  )
})
