/** Structured logs: one JSON object for each line on stderr. Never a body, a header value, an address or a secret. */

import { waitingLines } from "./waiting-lines.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"
const ORDER: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40 }

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** One answered request. Id and operation are tokens made by the service, so they need no JSON escapes. */
interface RequestEntry {
  readonly requestId: string
  readonly operation: string
  readonly status: number
  readonly milliseconds?: number
  readonly note?: LogFields | undefined
}

export interface Log {
  level: LogLevel
  /** Warnings and errors since the start, also those that `level` leaves out. */
  readonly raised: { warn: number; error: number }
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** Writes the line `request` at level info. It may be delayed to the end of the event loop's turn; see {@link createLog}. */
  request(entry: RequestEntry): void
  /** Writes the delayed request lines. */
  flush(): void
}

/**
 * `write` receives whole lines; `now` returns milliseconds since the epoch. With `later`, request lines are collected until it calls back,
 * because a write for each line costs more than a cached answer. Every other line is written at once, after the lines before it.
 */
export function createLog(
  level: LogLevel,
  write: (lines: string) => void,
  now: () => number,
  later?: (flush: () => void) => void,
): Log {
  const time = clockText(now)
  const { add, flush } = waitingLines(write, later)
  const log: Log = {
    level,
    raised: { warn: 0, error: 0 },
    debug: (event, fields) => emit("debug", event, fields),
    info: (event, fields) => emit("info", event, fields),
    warn: (event, fields) => emit("warn", event, fields),
    error: (event, fields) => emit("error", event, fields),
    request(entry) {
      if (ORDER.info < ORDER[log.level]) return
      add(requestLine(time(), entry))
    },
    flush,
  }
  function emit(at: LogLevel, event: string, fields: LogFields = {}): void {
    if (at === "warn" || at === "error") log.raised[at]++
    if (ORDER[at] < ORDER[log.level]) return
    flush()
    write(lineOf(time(), at, event, fields))
  }
  return log
}

function requestLine(time: string, { requestId, operation, status, milliseconds, note }: RequestEntry): string {
  let line = `{"time":"${time}","level":"info","event":"request","request_id":"${requestId}","operation":"${operation}","status":${status}`
  if (milliseconds !== undefined) line += `,"ms":${milliseconds}`
  const noted = note === undefined ? "{}" : JSON.stringify(note)
  return noted === "{}" ? `${line}}\n` : `${line},${noted.slice(1)}\n`
}

/** Formats the current millisecond once for all lines that share it. */
export function clockText(now: () => number): () => string {
  let at = Number.NaN
  let text = ""
  return () => {
    const present = now()
    if (present !== at) {
      at = present
      text = new Date(present).toISOString()
    }
    return text
  }
}

/** Returns the line that counts the lines a stream did not take. It is written at every level, because it reports missing lines. */
export function droppedLine(now: number, stream: "stderr" | "stdout", lines: number): string {
  return lineOf(new Date(now).toISOString(), "warn", "log_lines_dropped", { stream, lines })
}

function lineOf(time: string, level: LogLevel, event: string, fields: LogFields): string {
  return `${JSON.stringify({ time, level, event, ...fields })}\n`
}

/** Log fields of a bug: type, message and stack. Messages of the service's own errors contain no submitted value. */
export function bugFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  return { error: error.name, message: error.message, stack: error.stack ?? null }
}
