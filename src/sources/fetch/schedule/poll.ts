/** Fetch interval of each publisher, and the first hour of its day. */
import { DAY, HOUR, instant, SECOND } from "../../../core/time.ts"
import type { SnapshotRow } from "../../../store/sources/sources.ts"
import type { KnownSource } from "../../boards/known-source.ts"
import { LIST_ROWS } from "../../records/list-rows.ts"
import type { SourceId } from "../../records/party.ts"
import type { RegisterAdapter } from "../../records/register-adapter.ts"

type DatedRow = Pick<SnapshotRow, "sourceTimestamp" | "retrievedAt">

export interface Poll {
  /** Milliseconds. */
  readonly every: number
  /** Hour of the New York day of the first fetch; the others follow it. Null: only `every` applies. */
  readonly fromHour: number | null
  /** Milliseconds: when the next publication is due. Null: only `every` applies. */
  readonly expectedAt: number | null
}

/** An hour after the publisher's daily time (Commerce 05:00, SAM 07:00), so that the first fetch of a day gets the new list. */
const FROM_HOUR: Partial<Readonly<Record<SourceId, number>>> = { US_TRADE_CSL: 6, US_SAM_EXCLUSIONS: 8 }

/** `active` is the snapshot in use. Null: the source is not fetched. */
export function pollOf(source: KnownSource, active: DatedRow | null): Poll | null {
  if (source.kind === "LIST") return listPoll(source.id)
  return active && registerPoll(source, active)
}

export function listPoll(id: SourceId): Poll {
  return { every: LIST_ROWS[id].windows.pollSeconds * SECOND, fromHour: FROM_HOUR[id] ?? null, expectedAt: null }
}

/**
 * A register ages from its publication, so a month counts from that day and not from its import. `active` is the snapshot in use. A
 * register that was never imported is not fetched: it has gigabytes that no operator requested.
 */
export function registerPoll(
  { windows }: Pick<RegisterAdapter, "windows">,
  { sourceTimestamp, retrievedAt }: DatedRow,
): Poll {
  const every = windows.pollSeconds * SECOND
  return { every, fromHour: null, expectedAt: instant(sourceTimestamp ?? retrievedAt) + every }
}

/** Returns the first regular time after `after`; both in milliseconds. */
export function nextSlot({ every, fromHour, expectedAt }: Poll, after: number): number {
  // Fetch daily while a publication is late.
  if (expectedAt !== null) return Math.max(after + Math.min(every, DAY), Math.min(after + every, expectedAt))
  if (fromHour === null) return after + every
  const day = newYorkDay(after)
  for (let offset = -1; offset <= 1; offset++) {
    const first = newYorkHour(day, offset, fromHour)
    const nextDay = newYorkHour(day, offset + 1, fromHour)
    // On a day of a clock change the last interval is shorter or longer. The next day still starts at its hour.
    const slot = after < first ? first : first + (Math.floor((after - first) / every) + 1) * every
    if (slot <= nextDay) return slot
    if (after < nextDay) return nextDay
  }
  throw new RangeError("the next three days have no fetch hour")
}

let opened: Intl.DateTimeFormat | undefined

/** Created on first use, because loading the time zones takes a tenth of the program's start time. */
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

/** Returns New York's wall clock time, encoded as if it were UTC, in whole minutes. */
function shown(at: number): number {
  const parts = Object.fromEntries(
    newYork()
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  return Date.UTC(parts["year"]!, parts["month"]! - 1, parts["day"]!, parts["hour"]!, parts["minute"]!)
}

const newYorkDay = (at: number): number => Math.floor(shown(at) / (24 * HOUR)) * 24 * HOUR

/** Returns `hour` of the day `offset` days after `day`. Clocks change at two in the morning, never at these hours. */
function newYorkHour(day: number, offset: number, hour: number): number {
  const wanted = day + offset * 24 * HOUR + hour * HOUR
  const guess = wanted + 5 * HOUR
  return guess + wanted - shown(guess)
}
