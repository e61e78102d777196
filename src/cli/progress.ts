/**
 * The one progress line of every long command. On a terminal it is rewritten in place on standard error and cleared before anything else is
 * written. Without a terminal a plain line, or with `--json` a log line, appears every ten seconds at most.
 */

import type { LogFields } from "../base/log.ts"
import type { Done, LongWork, WorkStep } from "../base/long-work.ts"
import { SECOND } from "../core/time.ts"
import type { BlockedLine } from "./blocked-line.ts"
import { type Moment, percentOf, progressText, STALLED_MS } from "./progress-text.ts"

export interface Progress extends LongWork {
  /** Clears the line, because other text follows. The next report draws it again. */
  clear(): void
  /** Clears the line for good. May be called again. */
  end(): void
}

export interface ProgressParts {
  /** Writes to standard error. */
  readonly write: (text: string) => void
  /** LINE only on a terminal that understands control codes. */
  readonly mode: "LINE" | "PLAIN" | "JSON"
  /** Width of the terminal. */
  readonly columns: () => number
  /** Milliseconds; never goes back. */
  readonly now: () => number
  /** Calls back every `ms` milliseconds until the returned function is called. */
  readonly every: (ms: number, callback: () => void) => () => void
  /** Writes one log line. */
  readonly log: (fields: LogFields) => void
  /** Draws a step that may block this thread for long. */
  readonly blocked?: BlockedLine
}

const REDRAW_EVERY_MS = 250
const PRINT_EVERY_MS = 10 * SECOND
const START_OF_LINE = "\r\u001b[2K"
/** Without this time there is nothing to estimate from. */
const ESTIMATE_AFTER_MS = 2 * SECOND
/** The rate is that of the last seconds, because a work may become slower. */
const WINDOW_MS = 15 * SECOND
/** A step without a count may block the process. From these sizes on its line comes at once. */
const DRAWN_AT_ONCE_BYTES = 1_000_000
const PRINTED_AT_ONCE_BYTES = 100_000_000
/** A smaller step ends before a thread for it would have started. */
const HANDED_OVER_BYTES = 20_000_000

export function openProgress(parts: ProgressParts): Progress {
  const { mode, now, every, blocked } = parts
  const line = new ProgressLine(parts)
  let present: StepCount | null = null
  /** False while other text is written: a tick draws nothing then. */
  let isActive = false
  let stopTicks: (() => void) | null = null
  /** The other thread draws. */
  let isHandedOver = false

  function begin(step: WorkStep): void {
    takeBack()
    const at = now()
    present = new StepCount(step, at)
    isActive = true
    if (mode === "LINE") stopTicks ??= every(REDRAW_EVERY_MS, tick)
    line.begin(present, at, mayBlock(step, mode))
    if (blocked && mode === "LINE" && step.unit === undefined && (step.size ?? 0) >= HANDED_OVER_BYTES) {
      blocked.begin(step)
      isHandedOver = true
    }
  }

  function takeBack(): void {
    if (isHandedOver) blocked?.stop()
    isHandedOver = false
  }

  function tick(): void {
    if (!isHandedOver && isActive && present) line.report(present, now())
  }

  function clear(): void {
    takeBack()
    isActive = false
    line.clear()
  }

  return {
    step: begin,
    done(count, more = {}) {
      if (!present) return
      takeBack()
      const at = now()
      isActive = true
      present.set(count, more, at)
      line.report(present, at)
    },
    clear,
    end() {
      clear()
      blocked?.end()
      present = null
      stopTicks?.()
      stopTicks = null
    },
  }
}

/** What is written, and how often: a line that is drawn again, or lines. */
class ProgressLine {
  private isDrawn = false
  private writtenAt = Number.NEGATIVE_INFINITY
  private begunAt: number | null = null

  constructor(private readonly parts: ProgressParts) {}

  /** `isUrgent`: the step may block the process, so its line comes at once. */
  begin(step: StepCount, at: number, isUrgent: boolean): void {
    this.begunAt ??= at
    this.report(step, at, isUrgent || (this.isDrawn && at - this.writtenAt >= REDRAW_EVERY_MS))
  }

  report(step: StepCount, at: number, isUrgent = false): void {
    const { writtenAt } = this
    if (this.parts.mode === "LINE") {
      if (isUrgent || at - Math.max(writtenAt, step.begunAt) >= REDRAW_EVERY_MS) this.draw(step, at)
      return
    }
    const last = writtenAt === Number.NEGATIVE_INFINITY && !isUrgent ? (this.begunAt ?? at) : writtenAt
    if (at - last >= PRINT_EVERY_MS) this.print(step, at)
  }

  clear(): void {
    if (this.isDrawn) this.parts.write(START_OF_LINE)
    this.isDrawn = false
  }

  private draw(step: StepCount, at: number): void {
    const { write, columns } = this.parts
    this.writtenAt = at
    this.isDrawn = true
    write(`${START_OF_LINE}${cut(progressText(step.moment(at)), columns() - 1)}`)
  }

  private print(step: StepCount, at: number): void {
    const { write, mode, log } = this.parts
    this.writtenAt = at
    const moment = step.moment(at)
    if (mode === "PLAIN") write(`progress  ${progressText(moment)}\n`)
    else log(fieldsOf(moment))
  }
}

function mayBlock({ unit, size }: WorkStep, mode: ProgressParts["mode"]): boolean {
  if (unit !== undefined) return false
  if (size === undefined) return mode === "LINE"
  return size >= (mode === "LINE" ? DRAWN_AT_ONCE_BYTES : PRINTED_AT_ONCE_BYTES)
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

function fieldsOf(moment: Moment): LogFields {
  const { step, count, total, perSecond, secondsLeft } = moment
  return {
    work: step.what,
    ...(step.number && { step: step.number.at, steps: step.number.of }),
    ...(step.unit === undefined
      ? {}
      : {
          unit: step.unit,
          done: count,
          total,
          percent: percentOf(moment),
          per_second: perSecond === null ? null : Number(perSecond.toPrecision(3)),
          seconds_left: secondsLeft === null ? null : Math.ceil(secondsLeft),
        }),
  }
}

/** The count of one step over time. */
class StepCount {
  private count = 0
  private total: number | null
  private also: string | null = null
  private changedAt: number
  private readonly samples: { readonly at: number; readonly count: number }[]

  constructor(
    readonly step: WorkStep,
    readonly begunAt: number,
  ) {
    this.total = step.total ?? null
    this.changedAt = begunAt
    this.samples = [{ at: begunAt, count: 0 }]
  }

  set(count: number, { total, also }: Done, at: number): void {
    if (total !== undefined) this.total = total
    if (also !== undefined) this.also = also
    if (count === this.count) return
    this.count = count
    this.changedAt = at
    if (at - (this.samples.at(-1)?.at ?? at) < REDRAW_EVERY_MS) return
    this.samples.push({ at, count })
    // One sample from before the window remains: the rate is measured from it.
    while (this.samples.length > 2 && (this.samples[1]?.at ?? at) <= at - WINDOW_MS) this.samples.shift()
  }

  moment(at: number): Moment {
    const { step, count, also, begunAt, changedAt } = this
    // More than announced: the announced total was wrong, so nothing is derived from it.
    const total = this.total !== null && count <= this.total ? this.total : null
    const perSecond = this.perSecond(at)
    const isMoving = perSecond !== null && at - changedAt < STALLED_MS
    return {
      step,
      count,
      total,
      also,
      perSecond,
      secondsLeft: isMoving && total !== null && count < total ? (total - count) / perSecond : null,
      elapsedMs: at - begunAt,
      unchangedMs: at - changedAt,
    }
  }

  /** Null before there is enough to say. A pause lowers it. */
  private perSecond(at: number): number | null {
    const [first] = this.samples
    if (!first || at - this.begunAt < ESTIMATE_AFTER_MS || this.count === first.count) return null
    return ((this.count - first.count) * SECOND) / (at - first.at)
  }
}
