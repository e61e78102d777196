/** How often each publisher is asked, and from which hour of its day on. */
import { HOUR, SECOND } from "../../core/time.ts"
import type { SourceId } from "../party.ts"
import { ADAPTERS } from "../registry.ts"

export interface Poll {
  /** Milliseconds. */
  readonly every: number
  /** Hour of New York's day at which the day's first question is asked; the others follow it. Null: `every` alone counts. */
  readonly fromHour: number | null
}

/** An hour after the publisher's own daily time (Commerce 05:00, SAM 07:00), so that the first answer of a day is the new list. */
const FROM_HOUR: Partial<Readonly<Record<SourceId, number>>> = { US_TRADE_CSL: 6, US_SAM_EXCLUSIONS: 8 }

export function pollOf(id: SourceId): Poll {
  return { every: ADAPTERS[id].windows.pollSeconds * SECOND, fromHour: FROM_HOUR[id] ?? null }
}

/** The first regular time after `after`; both in milliseconds. */
export function nextSlot({ every, fromHour }: Poll, after: number): number {
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

const newYork = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
})

/** What New York's clock shows, read as if it were UTC; whole minutes. */
function shown(at: number): number {
  const parts = Object.fromEntries(newYork.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  return Date.UTC(parts["year"]!, parts["month"]! - 1, parts["day"]!, parts["hour"]!, parts["minute"]!)
}

const newYorkDay = (at: number): number => Math.floor(shown(at) / (24 * HOUR)) * 24 * HOUR

/** `hour` of the day `offset` days after `day`. The clocks change at two in the morning, never at these hours. */
function newYorkHour(day: number, offset: number, hour: number): number {
  const wanted = day + offset * 24 * HOUR + hour * HOUR
  const guess = wanted + 5 * HOUR
  return guess + wanted - shown(guess)
}
