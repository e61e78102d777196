import { expect, test } from "bun:test"
import fc from "fast-check"
import { formatInstant, HOUR, instant, parseInstant, waitSeconds } from "../../src/core/time.ts"

test.each([
  ["1970-01-01T00:00:00Z", 0],
  ["2026-11-21T10:00:00.5Z", Date.UTC(2026, 10, 21, 10, 0, 0, 500)],
  ["2026-11-21T10:00:00.123999999Z", Date.UTC(2026, 10, 21, 10, 0, 0, 123)],
  ["2026-11-21T10:00:00+05:30", Date.UTC(2026, 10, 21, 4, 30)],
  ["2026-11-21T23:30:00-01:00", Date.UTC(2026, 10, 22, 0, 30)],
  ["2024-02-29T00:00:00-00:00", Date.UTC(2024, 1, 29)],
  ["9999-12-31T23:59:59.999Z", 253_402_300_799_999],
  ["2026-01-01t00:00:00z", Date.UTC(2026, 0, 1)],
  ["2026-01-01T00:00:00.000z", Date.UTC(2026, 0, 1)],
  ["2026-01-01T00:00:00.12345678901234567890123456789012Z", Date.UTC(2026, 0, 1, 0, 0, 0, 123)],
  ["0050-01-01T00:00:00Z", -60_589_296_000_000],
  ["0050-01-01T00:00:00.000Z", -60_589_296_000_000],
  ["9999-12-31T23:59:59-01:00", 253_402_300_799_999],
  ["0000-01-01T00:00:00+01:00", -62_167_219_200_000],
])("%s is read as an instant", (text, at) => {
  expect(parseInstant(text)).toBe(at)
  expect(instant(text)).toBe(at)
})

test.each([
  ["a day the month does not have", "2026-02-30T00:00:00Z"],
  ["29 February of another year", "2026-02-29T00:00:00Z"],
  ["month 13", "2026-13-01T00:00:00Z"],
  ["hour 24", "2026-01-01T24:00:00Z"],
  ["minute 60", "2026-01-01T00:60:00Z"],
  ["a leap second", "2016-12-31T23:59:60Z"],
  ["no zone", "2026-01-01T00:00:00"],
  ["a date alone", "2026-01-01"],
  ["a space for the T", "2026-01-01 00:00:00Z"],
  ["a leap second with a fraction", "2016-12-31T23:59:60.5Z"],
  ["an offset of 24 hours", "2026-01-01T00:00:00+24:00"],
  ["an offset of 60 minutes", "2026-01-01T00:00:00+00:60"],
  ["33 fraction digits", "2026-01-01T00:00:00.123456789012345678901234567890123Z"],
  ["an empty fraction", "2026-01-01T00:00:00.Z"],
  ["a trailing newline", "2026-01-01T00:00:00Z\n"],
  ["full-width digits", "２０２６-01-01T00:00:00Z"],
  ["a day the month does not have, to the millisecond", "2026-02-30T00:00:00.000Z"],
  ["hour 24 to the millisecond", "2026-01-01T24:00:00.000Z"],
])("%s is not an instant", (_, text) => {
  expect(parseInstant(text)).toBeNull()
  expect(() => instant(text)).toThrow(TypeError)
})

test("each day of four centuries, and no other day, is read as Date reads it", () => {
  const two = (value: number) => String(value).padStart(2, "0")
  const wrong: string[] = []
  for (let year = 1700; year < 2100; year++) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = new Date(Date.UTC(year, month - 1, day, 23, 58, 59, 7))
        const at = date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null
        const text = `${year}-${two(month)}-${two(day)}T23:58:59`
        if (parseInstant(`${text}.007Z`) !== at) wrong.push(text)
        if (parseInstant(`${text}Z`) !== (at === null ? null : at - 7)) wrong.push(text)
      }
    }
  }
  expect(wrong).toEqual([])
})

test("a character that is no digit makes no instant, wherever it is", () => {
  for (const text of ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.125Z"]) {
    for (let at = 0; at < text.length; at++) {
      for (const other of ["/", ":", " ", "x", "-"]) {
        if (text[at] === other) continue
        const changed = `${text.slice(0, at)}${other}${text.slice(at + 1)}`
        expect([changed, parseInstant(changed)]).toEqual([changed, null])
      }
    }
  }
})

test("a formatted instant is read back unchanged and has one form", () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1000, 0), max: 253_402_300_799_999 }), (at) => {
      const text = formatInstant(at)
      expect(text).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
      expect(parseInstant(text)).toBe(at)
    }),
  )
})

test("every form of one instant is read as that instant", () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1000, 0), max: 253_402_300_799_999 }), (at) => {
      const text = formatInstant(at)
      expect(parseInstant(text.replace("Z", "0Z"))).toBe(at)
      expect(parseInstant(text.replace("Z", "+00:00"))).toBe(at)
    }),
  )
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 253_402_300_800_000])("%p cannot be formatted", (at) => {
  expect(() => formatInstant(at)).toThrow(TypeError)
})

test.each([
  ["is the rest of the window, rounded up", 1_500, 2],
  ["is one second after the window ended", 0, 1],
  ["is one second after the clock was set ahead by a day", -24 * HOUR, 1],
  ["is at most the whole window after the clock was set back by an hour", 60_000 + HOUR, 60],
])("a wait %s", (_, left, seconds) => {
  const at = Date.UTC(2026, 10, 21)
  expect(waitSeconds(at + left, at, 60)).toBe(seconds)
})
