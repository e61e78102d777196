import { expect, test } from "bun:test"
import fc from "fast-check"
import { DAY, formatInstant, HOUR, instant } from "../../../../src/core/time.ts"
import { listPoll, nextSlot, registerPoll } from "../../../../src/sources/fetch/schedule/poll.ts"
import { SOURCE_IDS } from "../../../../src/sources/records/party.ts"

test("each list is polled at the interval of its publisher", () => {
  expect(Object.fromEntries(SOURCE_IDS.map((id) => [id, listPoll(id)]))).toEqual({
    US_OFAC_CONSOLIDATED: { every: HOUR, fromHour: null, expectedAt: null },
    US_OFAC_SDN: { every: HOUR, fromHour: null, expectedAt: null },
    US_SAM_EXCLUSIONS: { every: 6 * HOUR, fromHour: 8, expectedAt: null },
    US_TRADE_CSL: { every: 3 * HOUR, fromHour: 6, expectedAt: null },
    UK_SANCTIONS_LIST: { every: HOUR, fromHour: null, expectedAt: null },
  })
})

const slots: readonly [poll: Parameters<typeof nextSlot>[0], after: string, next: string, why: string][] = [
  [
    { every: HOUR, fromHour: null, expectedAt: null },
    "2026-11-20T12:34:56.789Z",
    "2026-11-20T13:34:56.789Z",
    "an hour later",
  ],
  [listPoll("US_TRADE_CSL"), "2026-01-15T10:59:59.999Z", "2026-01-15T11:00:00.000Z", "six in winter is 11:00 UTC"],
  [listPoll("US_TRADE_CSL"), "2026-01-15T11:00:00.000Z", "2026-01-15T14:00:00.000Z", "then every three hours"],
  [listPoll("US_TRADE_CSL"), "2026-01-16T08:30:00.000Z", "2026-01-16T11:00:00.000Z", "after midnight at six again"],
  [listPoll("US_TRADE_CSL"), "2026-07-15T09:00:00.000Z", "2026-07-15T10:00:00.000Z", "six in summer is 10:00 UTC"],
  [listPoll("US_SAM_EXCLUSIONS"), "2026-07-15T11:00:00.000Z", "2026-07-15T12:00:00.000Z", "eight in summer"],
  [listPoll("US_SAM_EXCLUSIONS"), "2026-07-15T12:00:00.001Z", "2026-07-15T18:00:00.000Z", "then every six hours"],
  // The clocks go forward on 8 March 2026 at 02:00, so 23 hours lie between the first polls of two days.
  [
    listPoll("US_TRADE_CSL"),
    "2026-03-08T08:00:00.000Z",
    "2026-03-08T10:00:00.000Z",
    "the day starts at its hour in March",
  ],
  // They go back on 1 November 2026, so 25 hours lie between the first polls of two days.
  [
    listPoll("US_TRADE_CSL"),
    "2026-11-01T10:00:00.000Z",
    "2026-11-01T11:00:00.000Z",
    "the day starts at its hour in November",
  ],
]
test.each(slots)("with %o the poll after %s is at %s: %s", (poll, after, next) => {
  expect(formatInstant(nextSlot(poll, instant(after)))).toBe(next)
})

test("a register's month counts from its publication, and a late publication is polled daily", () => {
  const windows = { freshSeconds: 1, staleSeconds: 2, pollSeconds: 31 * 86_400 }
  const published = instant("2026-03-01T00:00:00.000Z")
  const active = { sourceTimestamp: formatInstant(published), retrievedAt: "2026-03-25T00:00:00.000Z" }
  const poll = registerPoll({ windows }, active)
  expect(poll).toEqual({ every: 31 * DAY, fromHour: null, expectedAt: published + 31 * DAY })
  // Imported on the 25th: the poll for April must not wait until the end of April.
  expect(nextSlot(poll, published + 24 * DAY)).toBe(published + 31 * DAY)
  expect(nextSlot(poll, published + 31 * DAY)).toBe(published + 32 * DAY)
  expect(nextSlot(poll, published + 60 * DAY)).toBe(published + 61 * DAY)
  expect(registerPoll({ windows }, { ...active, sourceTimestamp: null }).expectedAt).toBe(
    instant(active.retrievedAt) + 31 * DAY,
  )
  const daily = registerPoll({ windows: { ...windows, pollSeconds: 86_400 } }, active)
  expect(nextSlot(daily, published + 60 * DAY)).toBe(published + 61 * DAY)
})

test("the next poll is always later, by at most the interval and the hour of a clock change", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SOURCE_IDS),
      fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2036, 0, 1) }),
      (id, after) => {
        const poll = listPoll(id)
        const wait = nextSlot(poll, after) - after
        expect(wait).toBeGreaterThan(0)
        expect(wait).toBeLessThanOrEqual(poll.every + HOUR)
      },
    ),
  )
})
