/** RFC 3339 date-times as callers may write them: `T` and `Z` in either case, 1 to 32 fraction digits, every day of the calendar. */

/** Seconds end at 59. A leap second matches only {@link LEAP_SECOND}. */
export const DATE_TIME_PATTERN =
  "^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:[0-5]\\d(\\.\\d{1,32})?([Zz]|[+-]\\d{2}:\\d{2})$"

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):([0-5]\d)(?:\.(\d{1,32}))?([Zz]|[+-]\d{2}:\d{2})$/
const LEAP_SECOND = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:)60((?:\.\d{1,32})?(?:[Zz]|[+-]\d{2}:\d{2}))$/

export interface DateTimeParts {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** Digits after the point, or "". */
  readonly fraction: string
  /** Minutes east of UTC. */
  readonly offset: number
}

/** Returns the parts of a date-time that exists in the calendar, or null. */
export function readDateTime(text: string): DateTimeParts | null {
  const match = DATE_TIME.exec(text)
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const [fraction = "", zone = "Z"] = match.slice(7, 9)
  const offset = zoneOffset(zone)
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return null
  if (hour > 23 || minute > 59 || offset === null) return null
  return { year, month, day, hour, minute, second, fraction, offset }
}

/** True if the text would be a date-time with another second than 60. */
export function isLeapSecond(text: string): boolean {
  const match = LEAP_SECOND.exec(text)
  return match !== null && readDateTime(`${match[1]}59${match[2]}`) !== null
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Returns minutes east of UTC, or null for an impossible offset. */
function zoneOffset(zone: string): number | null {
  if (zone === "Z" || zone === "z") return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes)
}
