/** Publication day of an extract: the day in its file name, unless its rows contradict it. */
import { DAY, instant, parseInstant } from "../../../core/time.ts"
import type { SamRecord } from "./record.ts"

/**
 * GSA adds exclusions every working day, so the newest row of a genuine extract is at most a long weekend older than the day in the file
 * name. If it is older, the day of the newest row is used.
 */
const ROWS_LAG_MAX_MS = 4 * DAY

interface PublishedDay {
  /** RFC 3339; null if the file name has no valid day. */
  readonly timestamp: string | null
  readonly from: "CONTENT" | "FILE_NAME"
}

/** Tracks the newest day in the rows of one extract. */
export class NewestDay {
  /** `YYYY-MM-DD`; empty if no row states a day. */
  private newest = ""
  private readonly last: string

  /** `named` is the first instant of the day in the file name, RFC 3339. */
  constructor(private readonly named: string | null) {
    this.last = named?.slice(0, "YYYY-MM-DD".length) ?? ""
  }

  /**
   * A row was created before the extract, but may become active later. Its active day is used only if it does not state its creation day. A
   * day after the day of the file is ignored.
   */
  add(record: SamRecord): void {
    const day = madeDay(record("created")) || activeDay(record("activeDate"))
    if (day > this.newest && day <= this.last) this.newest = day
  }

  /** `isWhole` is false for a sample; its rows prove nothing. */
  published(isWhole: boolean): PublishedDay {
    const { named, newest } = this
    const byRows = newest === "" ? null : `${newest}T00:00:00.000Z`
    if (!isWhole || named === null || byRows === null) return { timestamp: named, from: "FILE_NAME" }
    const isContradicted = instant(named) - instant(byRows) > ROWS_LAG_MAX_MS
    return isContradicted ? { timestamp: byRows, from: "CONTENT" } : { timestamp: named, from: "FILE_NAME" }
  }
}

/** Returns empty for anything but `YYYY-MM-DD`. */
function madeDay(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? existing(text) : ""
}

/** Converts `MM/DD/YYYY` to `YYYY-MM-DD`; empty for anything else. */
function activeDay(text: string): string {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? []
  return year === undefined ? "" : existing(`${year}-${month}-${day}`)
}

/** Returns empty for an impossible day, so that it is never the newest. */
function existing(day: string): string {
  return parseInstant(`${day}T00:00:00Z`) === null ? "" : day
}
