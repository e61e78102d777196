/** Instants are milliseconds since the epoch inside the program and RFC 3339 text outside. No function here reads a clock. */
import { readCommonDateTime, readDateTime } from "../../schemas/rfc3339.ts"

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** 9999-12-31T23:59:59.999Z and 0000-01-01T00:00:00.000Z. Other instants have no RFC 3339 form. */
const LAST = 253_402_300_799_999
const FIRST = -62_167_219_200_000

/**
 * Returns milliseconds since the epoch (finer fractions are cut off), or null if the text is not an RFC 3339 date-time that exists in the
 * calendar. A leap second (`:60`) returns null, because POSIX time cannot hold it. CHOICE: if the offset moves a date-time out of the years
 * 0000 to 9999 in UTC, the result is the first or the last instant of those years.
 */
export function parseInstant(text: string): number | null {
  const common = readCommonDateTime(text)
  if (!Number.isNaN(common)) return common
  const parts = readDateTime(text)
  if (parts === null) return null
  const { year, month, day, hour, minute, second, fraction, offset } = parts
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"))
  // Date.UTC would map the years before 100 to the twentieth century.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  const at = midnight + ((hour * 60 + minute - offset) * 60 + second) * SECOND + milliseconds
  return Math.min(LAST, Math.max(FIRST, at))
}

/** Returns the milliseconds of a date-time that the schema already accepted. Throws a TypeError for any other text: that is a bug. */
export function instant(text: string): number {
  const at = parseInstant(text)
  if (at === null) throw new TypeError("not an RFC 3339 date-time")
  return at
}

/**
 * Returns the value of `Retry-After`: whole seconds from `at` to `until` (milliseconds), at least 1 and at most `secondsMax`, the length of
 * the window. The maximum matters after the clock was set back: a stored end then lies further ahead than the window.
 */
export function waitSeconds(until: number, at: number, secondsMax: number): number {
  return Math.min(secondsMax, Math.max(1, Math.ceil((until - at) / SECOND)))
}

/** The last formatted instants: one request formats its own time many times, and many requests the ends of the same sources. */
const WRITTEN_MAX = 61
const writtenAt = new Float64Array(WRITTEN_MAX).fill(Number.NaN)
const writtenTexts: string[] = new Array(WRITTEN_MAX).fill("")

/**
 * Returns `YYYY-MM-DDTHH:mm:ss.sssZ`, the only form that the service writes. Throws a TypeError for an instant without such a form: that is
 * a bug.
 */
export function formatInstant(at: number): string {
  const place = Math.abs(at) % WRITTEN_MAX
  if (writtenAt[place] === at) return writtenTexts[place] as string
  if (!(at >= FIRST && at <= LAST)) throw new TypeError("not an instant of the years 0000 to 9999")
  const text = new Date(at).toISOString()
  // An instant with a fraction of a millisecond has no place.
  if (Number.isInteger(place)) {
    writtenAt[place] = at
    writtenTexts[place] = text
  }
  return text
}
