import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts"

const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
] as const

/** Writes a duration in its largest whole unit: "3 days". `milliseconds` below a second, also negative ones, are "0 seconds". */
export function durationWords(milliseconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => milliseconds >= size) ?? (["second", SECOND] as const)
  const count = Math.max(0, Math.floor(milliseconds / length))
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** `YYYY-MM-DD HH:MM UTC` of an RFC 3339 instant in UTC, for a reader. */
export function dayOf(instantText: string): string {
  return `${instantText.slice(0, 10)} ${instantText.slice(11, 16)} UTC`
}
