// RFC 3339 date-times as callers may write them: `T` and `Z` in either case, 1 to 32 fraction digits, every day of the calendar.

/** Seconds end at 59. A leap second matches only {@link LEAP_SECOND}. */
export const DATE_TIME_PATTERN =
  "^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:[0-5]\\d(\\.\\d{1,32})?([Zz]|[+-]\\d{2}:\\d{2})$"

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):([0-5]\d)(?:\.(\d{1,32}))?([Zz]|[+-]\d{2}:\d{2})$/
const LEAP_SECOND = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:)60((?:\.\d{1,32})?(?:[Zz]|[+-]\d{2}:\d{2}))$/

interface DateTimeParts {
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

/**
 * Fast path for `YYYY-MM-DDTHH:mm:ssZ` and `YYYY-MM-DDTHH:mm:ss.sssZ`, the forms that almost every text has. Returns milliseconds since the
 * epoch, or NaN for any other text, which may still be a date-time.
 */
export function readCommonDateTime(text: string): number {
  const { length } = text
  if (length !== WITH_MILLISECONDS && length !== WITH_SECONDS) return Number.NaN
  const hasPunctuation =
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    text.charCodeAt(10) === T &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON &&
    text.charCodeAt(length - 1) === Z &&
    (length === WITH_SECONDS || text.charCodeAt(19) === POINT)
  if (!hasPunctuation) return Number.NaN
  const year = digitsAt(text, 0, 4)
  const month = digitsAt(text, 5, 7)
  const day = digitsAt(text, 8, 10)
  const hour = digitsAt(text, 11, 13)
  const minute = digitsAt(text, 14, 16)
  const second = digitsAt(text, 17, 19)
  const millisecond = length === WITH_SECONDS ? 0 : digitsAt(text, 20, 23)
  // A part with another character is NaN, which is in no range.
  const isInCalendar =
    month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month) && hour <= 23 && minute <= 59 && second <= 59
  if (!isInCalendar) return Number.NaN
  return ((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + millisecond
}

const WITH_SECONDS = "YYYY-MM-DDTHH:mm:ssZ".length
const WITH_MILLISECONDS = "YYYY-MM-DDTHH:mm:ss.sssZ".length
const [DASH, T, COLON, Z, POINT] = [0x2d, 0x54, 0x3a, 0x5a, 0x2e]

/** NaN if a character is no digit. */
function digitsAt(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN
  }
  return value
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
/** From 0000-01-01 to 1970-01-01. */
const DAYS_TO_EPOCH = 719_528

function daysSinceEpoch(year: number, month: number, day: number): number {
  // Leap days of the years before; the year 0 is one of them.
  const leapDays =
    year === 0 ? 0 : Math.floor((year - 1) / 4) - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400) + 1
  const leapDay = month > 2 && daysOf(year, 2) === 29 ? 1 : 0
  return year * 365 + leapDays + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + leapDay + day - 1 - DAYS_TO_EPOCH
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
