/** One question to a publisher through at most a few redirects, each hop checked like the first. Nothing of ours but the conditions goes along. */
import type { IncomingMessage } from "node:http"
import { SECOND } from "../../core/time.ts"
import { requireAllowed } from "./allowed-url.ts"
import { type OpenResponse, openResponse, type Transport } from "./open-response.ts"
import { shownUrl, TransferFault } from "./transfer-fault.ts"

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const URL_LENGTH_MAX = 8192

export interface Answered extends OpenResponse {
  readonly url: URL
  /** 200, or 304 where `conditions` were sent. */
  readonly status: 200 | 304
}

/**
 * `conditions` are `if-none-match` and `if-modified-since`: they go to every hop, because the publishers' own servers redirect to the
 * store that knows its files' tags, and they are no secret. Throws {@link TransferFault} for any other answer.
 */
export async function askFor(
  first: URL,
  conditions: Readonly<Record<string, string>>,
  transport: Transport,
  now: number,
  signal: AbortSignal,
): Promise<Answered> {
  let url = first
  let from: URL | null = null
  for (let hop = 0; hop <= transport.limits.redirects; hop += 1) {
    requireAllowed(url, transport.mirror, from)
    const opened = await openResponse(url, conditions, transport, signal)
    const status = opened.response.statusCode ?? 0
    if (!REDIRECTS.has(status)) {
      if (status === 200 || (status === 304 && Object.keys(conditions).length > 0)) return { ...opened, url, status }
      opened.request.destroy()
      throw refusalOf(url, status, opened.response, transport, now)
    }
    opened.request.destroy()
    from = url
    url = locationOf(url, opened.response)
  }
  throw new TransferFault("TOO_MANY_REDIRECTS", `${shownUrl(first)}: more than ${transport.limits.redirects} redirects`)
}

function locationOf(url: URL, { headers: { location } }: IncomingMessage): URL {
  if (location === undefined || location.length > URL_LENGTH_MAX || !URL.canParse(location, url.href)) {
    throw new TransferFault("PROTOCOL", `${shownUrl(url)} redirects to no address`)
  }
  return new URL(location, url.href)
}

function refusalOf(
  url: URL,
  status: number,
  { headers }: IncomingMessage,
  { limits }: Transport,
  now: number,
): TransferFault {
  const shown = shownUrl(url)
  if (status === 404 || status === 410) return new TransferFault("NOT_FOUND", `${shown}: status ${status}`)
  const later = status === 429 || status === 503 ? retryAfter(headers["retry-after"], now) : null
  if (later !== null) {
    const retryAfterUntil = Math.min(Math.max(later, now), now + limits.retryAfterMaxMs)
    return new TransferFault("ASKED_TO_WAIT", `${shown}: status ${status} with Retry-After`, { retryAfterUntil })
  }
  // 429 without a time is not asked again at once either: that is what it complains of.
  return new TransferFault("STATUS", `${shown}: status ${status}`, { isTransient: status >= 500 })
}

/** RFC 9110 10.2.3: seconds or an HTTP date; null for anything else. In milliseconds. */
export function retryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text.trim())) return now + Number(text) * SECOND
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}
