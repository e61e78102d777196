/** When an extract was published: the day in its file name, unless its rows contradict it. */
import { DAY, instant, parseInstant } from "../../../core/time.ts"
import type { SamRecord } from "./record.ts"

/**
 * GSA adds exclusions every working day, so the newest row of a genuine extract is at most a long weekend older than the day in
 * the file name. Beyond that the day of the newest row counts.
 */
const ROWS_LAG_MAX_MS = 4 * DAY

export interface PublishedDay {
  /** RFC 3339; null where the file name has no day that exists. */
  readonly timestamp: string | null
  readonly from: "CONTENT" | "FILE_NAME"
}

/** Follows the rows of one extract. */
export class NewestDay {
  /** `YYYY-MM-DD`; empty where no row says anything. */
  private newest = ""
  private readonly last: string

  /** `named` is the first instant of the day in the file name, RFC 3339. */
  constructor(private readonly named: string | null) {
    this.last = named?.slice(0, "YYYY-MM-DD".length) ?? ""
  }

  /**
   * A row was made before the extract was, but may become active later: its active day counts only where it does not say when it was
   * made. A day after the file's own says nothing of its age.
   */
  add(record: SamRecord): void {
    const day = madeDay(record("created")) || activeDay(record("activeDate"))
    if (day > this.newest && day <= this.last) this.newest = day
  }

  /** `isWhole` false for a sample: of its rows nothing follows. */
  published(isWhole: boolean): PublishedDay {
    const { named, newest } = this
    const byRows = newest === "" ? null : `${newest}T00:00:00.000Z`
    if (!isWhole || named === null || byRows === null) return { timestamp: named, from: "FILE_NAME" }
    const isContradicted = instant(named) - instant(byRows) > ROWS_LAG_MAX_MS
    return isContradicted ? { timestamp: byRows, from: "CONTENT" } : { timestamp: named, from: "FILE_NAME" }
  }
}

/** Empty for anything but `YYYY-MM-DD`. */
function madeDay(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? existing(text) : ""
}

/** `MM/DD/YYYY` as `YYYY-MM-DD`; empty for anything else. */
function activeDay(text: string): string {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? []
  return year === undefined ? "" : existing(`${year}-${month}-${day}`)
}

/** A day that no month has is never the newest. */
function existing(day: string): string {
  return parseInstant(`${day}T00:00:00Z`) === null ? "" : day
}
