/** Structured logs: one JSON object a line on stderr. Never a body, a header value, an address or a secret. */

export type LogLevel = "debug" | "info" | "warn" | "error"
const ORDER: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40 }

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

export interface Log {
  level: LogLevel
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

/** `write` receives whole lines; `now` is milliseconds since the epoch. */
export function createLog(level: LogLevel, write: (line: string) => void, now: () => number): Log {
  const log: Log = {
    level,
    debug: (event, fields) => emit("debug", event, fields),
    info: (event, fields) => emit("info", event, fields),
    warn: (event, fields) => emit("warn", event, fields),
    error: (event, fields) => emit("error", event, fields),
  }
  function emit(at: LogLevel, event: string, fields: LogFields = {}): void {
    if (ORDER[at] < ORDER[log.level]) return
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level: at, event, ...fields })}\n`)
  }
  return log
}

/** What a bug leaves in the log: its type, message and stack. Messages of our own errors carry no submitted value. */
export function bugFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  return { error: error.name, message: error.message, stack: error.stack ?? null }
}
