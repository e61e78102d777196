/** How often each publisher is asked, and from which hour of its day on. */
import { DAY, HOUR, instant, SECOND } from "../../core/time.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { WINDOWS } from "../lists/windows.ts"
import type { SourceId } from "../records/party.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"

export interface Poll {
  /** Milliseconds. */
  readonly every: number
  /** Hour of New York's day at which the day's first question is asked; the others follow it. Null: `every` alone counts. */
  readonly fromHour: number | null
  /** Milliseconds; when the publication after the one in use is due. Null: `every` alone counts. */
  readonly expectedAt: number | null
}

/** An hour after the publisher's own daily time (Commerce 05:00, SAM 07:00), so that the first answer of a day is the new list. */
const FROM_HOUR: Partial<Readonly<Record<SourceId, number>>> = { US_TRADE_CSL: 6, US_SAM_EXCLUSIONS: 8 }

export function pollOf(id: SourceId): Poll {
  return { every: WINDOWS[id].pollSeconds * SECOND, fromHour: FROM_HOUR[id] ?? null, expectedAt: null }
}

/**
 * A register is old from its publication on, so a month counts from there and not from the day somebody imported it. `active` is the
 * snapshot in use: one that never was imported is not asked for, because it has gigabytes that nobody wanted.
 */
export function registerPoll(
  { windows }: Pick<RegisterAdapter, "windows">,
  { sourceTimestamp, retrievedAt }: Pick<SnapshotRow, "sourceTimestamp" | "retrievedAt">,
): Poll {
  const every = windows.pollSeconds * SECOND
  return { every, fromHour: null, expectedAt: instant(sourceTimestamp ?? retrievedAt) + every }
}

/** The first regular time after `after`; both in milliseconds. */
export function nextSlot({ every, fromHour, expectedAt }: Poll, after: number): number {
  // A publication that is late is asked for daily.
  if (expectedAt !== null) return Math.max(after + Math.min(every, DAY), Math.min(after + every, expectedAt))
  if (fromHour === null) return after + every
  const day = newYorkDay(after)
  for (let offset = -1; offset <= 1; offset++) {
    const first = newYorkHour(day, offset, fromHour)
    const nextDay = newYorkHour(day, offset + 1, fromHour)
    // The last stretch of a day is shorter or longer where the clocks change; the next day starts at its hour all the same.
    const slot = after < first ? first : first + (Math.floor((after - first) / every) + 1) * every
    if (slot <= nextDay) return slot
    if (after < nextDay) return nextDay
  }
  throw new RangeError("no hour of three days follows")
}

let opened: Intl.DateTimeFormat | undefined

/** Opened at its first use: the time zones of the world take a tenth of the program's start. */
function newYork(): Intl.DateTimeFormat {
  opened ??= new Intl.DateTimeFormat("en-US", {
    timeZone: "America/New_York",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  })
  return opened
}

/** What New York's clock shows, read as if it were UTC; whole minutes. */
function shown(at: number): number {
  const parts = Object.fromEntries(
    newYork()
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  return Date.UTC(parts["year"]!, parts["month"]! - 1, parts["day"]!, parts["hour"]!, parts["minute"]!)
}

const newYorkDay = (at: number): number => Math.floor(shown(at) / (24 * HOUR)) * 24 * HOUR

/** `hour` of the day `offset` days after `day`. The clocks change at two in the morning, never at these hours. */
function newYorkHour(day: number, offset: number, hour: number): number {
  const wanted = day + offset * 24 * HOUR + hour * HOUR
  const guess = wanted + 5 * HOUR
  return guess + wanted - shown(guess)
}
