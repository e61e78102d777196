/** Instants are milliseconds since the epoch inside, RFC 3339 outside. Nothing here reads a clock. */

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/

/** 9999-12-31T23:59:59.999Z and 0000-01-01T00:00:00.000Z: what lies outside has no RFC 3339 form. */
const LAST = 253_402_300_799_999
const FIRST = -62_167_219_200_000

/** Date.UTC takes the years before it for years of the twentieth century. */
const YEAR_100 = -59_011_459_200_000

const WRITTEN_LENGTH = "YYYY-MM-DDTHH:mm:ss.sssZ".length

/**
 * Milliseconds since the epoch (finer fractions are cut off), or null when the text is not an RFC 3339 date-time that exists
 * in the calendar.
 * CHOICE: a leap second (`:60`) is refused: POSIX time cannot hold it, and no deadline of ours needs it.
 */
export function parseInstant(text: string): number | null {
  // The form we write ourselves, and most others too, is known by its being what the runtime writes for the instant it reads there.
  if (text.length === WRITTEN_LENGTH) {
    const at = Date.parse(text)
    if (at >= YEAR_100 && at <= LAST && new Date(at).toISOString() === text) return at
  }
  const match = DATE_TIME.exec(text)
  if (!match) return null
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = match
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"))
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  const back = new Date(utc)
  const exists =
    back.getUTCFullYear() === Number(year) &&
    back.getUTCMonth() === Number(month) - 1 &&
    back.getUTCDate() === Number(day) &&
    back.getUTCHours() === Number(hour) &&
    back.getUTCMinutes() === Number(minute) &&
    back.getUTCSeconds() === Number(second)
  if (!exists) return null
  const offset = zoneOffset(zone)
  if (offset === null) return null
  const at = utc + milliseconds - offset
  return at < FIRST || at > LAST ? null : at
}

function zoneOffset(zone: string): number | null {
  if (zone === "Z") return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000
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

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
