/** The words of the progress line. */

import type { WorkStep } from "../base/long-work.ts"
import { MINUTE, SECOND } from "../core/time.ts"

/** One step at one moment. */
export interface Moment {
  readonly step: WorkStep
  readonly count: number
  /** Null if it is unknown, or if the count is already above it. */
  readonly total: number | null
  readonly also: string | null
  /** Units a second; null before there is enough to say. */
  readonly perSecond: number | null
  /** Null if nothing honest can be said. */
  readonly secondsLeft: number | null
  /** Since the step began. */
  readonly elapsedMs: number
  /** Since the count last changed. */
  readonly unchangedMs: number
}

/** A wait shorter than this needs no words. */
const SHOWN_WAIT_MS = 2 * SECOND
/** A smaller rate would be shown as about none. */
const SHOWN_RATE_MIN = 0.1
/** After this time without a change the rate of before says nothing about the rest. */
export const STALLED_MS = 5 * SECOND

export function progressText(moment: Moment): string {
  return [stepText(moment.step), ...amountParts(moment), ...timeParts(moment)].join("  ")
}

/** Whole percent, rounded down, so that 100 means done. */
export function percentOf({ count, total }: Pick<Moment, "count" | "total">): number | null {
  return total === null || total === 0 ? null : Math.floor((100 * count) / total)
}

function stepText({ what, number, size }: WorkStep): string {
  const place = number && number.of > 1 ? `step ${number.at} of ${number.of}: ` : ""
  return `${place}${what}${size ? ` (${bytesText(size)})` : ""}`
}

function amountParts({ step: { unit }, count, total, also, ...rest }: Moment): string[] {
  if (unit === undefined) return also === null ? [] : [also]
  const percent = percentOf({ ...rest, count, total })
  return [
    ...(percent === null ? [] : [`${percent} %`]),
    unit === "bytes"
      ? bytesOf(count, total)
      : `${total === null ? "" : `${digits(count)} of `}${digits(total ?? count)} ${unit}`,
    ...(also === null ? [] : [also]),
  ]
}

function timeParts(moment: Moment): string[] {
  const { step, total, perSecond, secondsLeft, elapsedMs, unchangedMs } = moment
  if (step.unit === undefined) return elapsedMs < SHOWN_WAIT_MS ? [] : [durationText(elapsedMs)]
  if (unchangedMs >= STALLED_MS) return [`nothing new for ${durationText(unchangedMs)}`]
  return [
    ...(perSecond === null ? [] : [rateText(perSecond, step.unit)]),
    ...(secondsLeft === null ? [] : [leftText(secondsLeft, step)]),
    ...(total === null && elapsedMs >= SHOWN_WAIT_MS ? [durationText(elapsedMs)] : []),
  ]
}

/** An estimate is coarse, and says so. With further steps to come it speaks of this one only. */
function leftText(seconds: number, { number }: WorkStep): string {
  return `about ${roughly(seconds)} left${number && number.at < number.of ? " in this step" : ""}`
}

/** Rounds up: to a second below 10 s, to 5 s below 90 s, to a minute below 90 minutes. */
function roughly(seconds: number): string {
  if (seconds <= 10) return `${Math.max(1, Math.ceil(seconds))} s`
  if (seconds <= 90) return `${5 * Math.ceil(seconds / 5)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function durationText(ms: number): string {
  return ms < 2 * MINUTE ? `${Math.floor(ms / SECOND)} s` : `${Math.floor(ms / MINUTE)} min`
}

function rateText(perSecond: number, unit: string): string {
  if (unit === "bytes") return `${bytesText(perSecond)}/s`
  if (perSecond < SHOWN_RATE_MIN) return `${((perSecond * MINUTE) / SECOND).toFixed(1)} ${unit}/min`
  return `${perSecond < 10 ? perSecond.toFixed(1) : digits(Math.round(perSecond))} ${unit}/s`
}

const SCALES = [
  { from: 1e9, name: "GB", decimals: 2 },
  { from: 1e6, name: "MB", decimals: 1 },
  { from: 1e3, name: "kB", decimals: 1 },
] as const

/** Decimal units: `12.3 MB`, `1.05 GB`. */
function bytesText(bytes: number): string {
  return bytesOf(bytes, null)
}

/** Both numbers in the unit of the larger one. */
function bytesOf(count: number, total: number | null): string {
  const scale = SCALES.find(({ from }) => Math.max(count, total ?? 0) >= from)
  const written = (bytes: number) => (scale ? (bytes / scale.from).toFixed(scale.decimals) : String(Math.round(bytes)))
  return `${total === null ? "" : `${written(count)} of `}${written(total ?? count)} ${scale?.name ?? "bytes"}`
}

/** `5800000` as `5,800,000`. */
export function digits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",")
}
