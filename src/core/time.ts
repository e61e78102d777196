/** Instants are milliseconds since the epoch inside, RFC 3339 outside. Nothing here reads a clock. */
import { readDateTime } from "../../schemas/rfc3339.ts"

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** 9999-12-31T23:59:59.999Z and 0000-01-01T00:00:00.000Z: what lies outside has no RFC 3339 form. */
const LAST = 253_402_300_799_999
const FIRST = -62_167_219_200_000

/** Date.UTC takes the years before it for years of the twentieth century. */
const YEAR_100 = -59_011_459_200_000

const WRITTEN_LENGTH = "YYYY-MM-DDTHH:mm:ss.sssZ".length

/**
 * Milliseconds since the epoch (finer fractions are cut off), or null when the text is not an RFC 3339 date-time that exists
 * in the calendar. A leap second (`:60`) is none: POSIX time cannot hold it.
 * CHOICE: a date-time whose offset carries it out of the years 0000 to 9999 in UTC is read as the first or the last instant in them.
 */
export function parseInstant(text: string): number | null {
  // The form we write ourselves, and most others too, is known by its being what the runtime writes for the instant it reads there.
  if (text.length === WRITTEN_LENGTH) {
    const at = Date.parse(text)
    if (at >= YEAR_100 && at <= LAST && new Date(at).toISOString() === text) return at
  }
  const parts = readDateTime(text)
  if (parts === null) return null
  const { year, month, day, hour, minute, second, fraction, offset } = parts
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"))
  // Not Date.UTC, which takes the years before 100 for years of the twentieth century.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  const at = midnight + ((hour * 60 + minute - offset) * 60 + second) * SECOND + milliseconds
  return Math.min(LAST, Math.max(FIRST, at))
}

/** An instant the schema has already accepted. Throws for any other text: that is a bug. */
export function instant(text: string): number {
  const at = parseInstant(text)
  if (at === null) throw new TypeError("not an RFC 3339 date-time")
  return at
}

/**
 * What a `Retry-After` says: whole seconds from `at` to `until` (milliseconds), at least 1. Never over `secondsMax`, the length of the
 * window that is waited for: under a clock that was set back, an end that was stored before lies further ahead than that.
 */
export function waitSeconds(until: number, at: number, secondsMax: number): number {
  return Math.min(secondsMax, Math.max(1, Math.ceil((until - at) / SECOND)))
}

/** The text of the last instant asked for: one request writes its own time many times over. */
let written = { at: Number.NaN, text: "" }

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the one form the service writes. Throws for an instant that has no such form: that is a bug. */
export function formatInstant(at: number): string {
  if (at === written.at) return written.text
  if (!(at >= FIRST && at <= LAST)) throw new TypeError("not an instant of the years 0000 to 9999")
  written = { at, text: new Date(at).toISOString() }
  return written.text
}
