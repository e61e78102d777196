import { expect, test } from "bun:test"
import fc from "fast-check"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { backoff, type LastCheck, nextAttempt } from "../../../../src/sources/fetch/schedule/next-attempt.ts"
import type { Poll } from "../../../../src/sources/fetch/schedule/poll.ts"

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
  ["after an answer the next attempt comes after the normal interval", HOURLY, last(), HOUR],
  ["after an import it comes after the normal interval", HOURLY, last({ outcome: "IMPORTED" }), HOUR],
  ["after a refused publication it comes after the normal interval", HOURLY, last({ outcome: "REFUSED" }), HOUR],
  ["after a refused monthly publication it comes after a day", MONTHLY, last({ outcome: "REFUSED" }), DAY],
  ["after one failure it comes after five minutes", HOURLY, failed(1), 5 * MINUTE],
  ["after two failures it comes after ten minutes", HOURLY, failed(2), 10 * MINUTE],
  ["after four failures it comes after forty minutes", HOURLY, failed(4), 40 * MINUTE],
  ["after five failures it comes after the normal interval at most", HOURLY, failed(5), HOUR],
  ["after a thousand failures it comes after the normal interval at most", HOURLY, failed(1000), HOUR],
  ["after many failures of a monthly source it comes after a day at most", MONTHLY, failed(40), DAY],
]
test.each(rows)("%s", (_why, poll, check, wait) => {
  const due = nextAttempt(poll, check, AT + MINUTE)
  expect(due).toBeGreaterThanOrEqual(AT + wait)
  expect(due).toBeLessThanOrEqual(AT + wait + Math.min(wait / 10, 10 * MINUTE))
})

test("a publisher that was never asked is asked at once", () => {
  expect(nextAttempt(HOURLY, null, AT)).toBe(AT)
})

test("a register imported by hand is fetched when its next publication is due, or at once if that time has passed", () => {
  expect(nextAttempt({ ...MONTHLY, expectedAt: AT + 9 * DAY }, null, AT)).toBe(AT + 9 * DAY)
  expect(nextAttempt({ ...MONTHLY, expectedAt: AT - DAY }, null, AT)).toBe(AT)
})

test("Retry-After is followed up to a day, and never makes an attempt earlier", () => {
  const requests = (until: number) => nextAttempt(HOURLY, failed(1, { retryAfterUntil: formatInstant(until) }), AT)
  expect(requests(AT + 3 * HOUR)).toBe(AT + 3 * HOUR)
  expect(requests(AT + 365 * DAY)).toBe(AT + DAY)
  expect(requests(AT + 1)).toBe(nextAttempt(HOURLY, failed(1), AT))
})

test("a row with a future time does not delay a source until then", () => {
  expect(nextAttempt(HOURLY, last(), AT - DAY)).toBe(AT - DAY)
  expect(nextAttempt(HOURLY, last(), AT - MINUTE)).toBeGreaterThan(AT)
})

test("attempts of many installations are spread, and each attempt gets the same time at every call", () => {
  const dues = Array.from({ length: 200 }, (_, at) => last({ attemptedAt: formatInstant(AT + at) })).map(
    (check) => nextAttempt(HOURLY, check, AT + 1000) - Date.parse(check.attemptedAt) - HOUR,
  )
  expect(new Set(dues).size).toBeGreaterThan(190)
  expect(Math.max(...dues) - Math.min(...dues)).toBeGreaterThan(5 * MINUTE)
  expect(nextAttempt(HOURLY, last(), AT)).toBe(nextAttempt(HOURLY, last(), AT + HOUR))
})

test("the pause after failures never becomes shorter and has an upper limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (failures) => {
      expect(backoff(HOURLY, failures + 1)).toBeGreaterThanOrEqual(backoff(HOURLY, failures))
      expect(backoff(HOURLY, failures)).toBeLessThanOrEqual(HOUR)
    }),
  )
})
