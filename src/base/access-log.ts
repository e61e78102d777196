/**
 * The access log: one JSON line for each answered request, with the address of its client. It is the only output that has an address, so it
 * is off by default and never a part of the log. Never a query, a body, a header value or the value of a path's parameter.
 */
import { clockText } from "./log.ts"
import { waitingLines } from "./waiting-lines.ts"

/** One answered request. */
export interface AccessEntry {
  /** The key that limits count: an IPv4 address, the /64 of an IPv6 address, or `unix:` for a Unix socket without a forwarded address. */
  readonly client: string
  /** As sent. */
  readonly method: string
  /** The template of the path, such as `/v1/decisions/{id}`; null where no route has the path. */
  readonly path: string | null
  readonly status: number
  readonly milliseconds: number
  readonly requestId: string
}

export interface AccessLog {
  readonly request: (entry: AccessEntry) => void
  /** Writes the delayed lines. */
  readonly flush: () => void
}

/** A client may send any word. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** `write` receives whole lines; `now` returns milliseconds since the epoch. Lines are collected until `later` calls back. */
export function createAccessLog(
  write: (lines: string) => void,
  now: () => number,
  later: (flush: () => void) => void,
): AccessLog {
  const time = clockText(now)
  const { add, flush } = waitingLines(write, later)
  // No member needs JSON escapes: addresses were read as such, and templates and ids are the service's own.
  const request = ({ client, method, path, status, milliseconds, requestId }: AccessEntry) => {
    const verb = METHODS.has(method) ? method : "OTHER"
    const template = path === null ? "null" : `"${path}"`
    add(
      `{"time":"${time()}","client":"${client}","method":"${verb}","path":${template},"status":${status},"ms":${milliseconds},"request_id":"${requestId}"}\n`,
    )
  }
  return { request, flush }
}

/** Returns the line that counts the lines which the file did not take. */
export function missingAccessLine(now: number, lines: number): string {
  return `{"time":"${new Date(now).toISOString()}","event":"access_lines_missing","lines":${lines}}\n`
}
