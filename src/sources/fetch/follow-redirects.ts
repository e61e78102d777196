/**
 * One request to a publisher through a limited number of redirects. Each hop is checked like the first one. Apart from the fixed headers,
 * only the conditions are sent.
 */
import type { IncomingMessage } from "node:http"
import { SECOND } from "../../core/time.ts"
import { requireAllowed } from "./allowed-url.ts"
import { type GetRequest, type OpenResponse, openResponse, type Transport } from "./open-response.ts"
import { shownUrl, TransferFault } from "./transfer-fault.ts"
import type { TransferLimits } from "./transfer-limits.ts"

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const URL_LENGTH_MAX = 8192

interface Answered extends OpenResponse {
  readonly url: URL
  /** 200, or 304 if conditions were sent. */
  readonly status: 200 | 304
}

/** Follows redirects. Throws {@link TransferFault} for a status that {@link Answered} does not have. */
export async function askFor(first: GetRequest, transport: Transport, now: number): Promise<Answered> {
  const hasConditions = Object.keys(first.conditions).length > 0
  let { url } = first
  let from: URL | null = null
  for (let hop = 0; hop <= transport.limits.redirects; hop += 1) {
    requireAllowed(url, transport.mirror, from)
    const opened = await openResponse({ ...first, url }, transport)
    const status = opened.response.statusCode ?? 0
    if (!REDIRECTS.has(status)) {
      if (status === 200 || (status === 304 && hasConditions)) return { ...opened, url, status }
      opened.request.destroy()
      throw refusalOf(url, opened.response, transport.limits, now)
    }
    opened.request.destroy()
    from = url
    url = locationOf(url, opened.response)
  }
  throw new TransferFault(
    "TOO_MANY_REDIRECTS",
    `${shownUrl(first.url)}: more than ${transport.limits.redirects} redirects`,
  )
}

function locationOf(url: URL, { headers: { location } }: IncomingMessage): URL {
  if (location === undefined || location.length > URL_LENGTH_MAX || !URL.canParse(location, url.href)) {
    throw new TransferFault("PROTOCOL", `${shownUrl(url)} redirects without a valid address`)
  }
  return new URL(location, url.href)
}

function refusalOf(
  url: URL,
  { statusCode: status = 0, headers }: IncomingMessage,
  limits: TransferLimits,
  now: number,
): TransferFault {
  const shown = shownUrl(url)
  if (status === 404 || status === 410) return new TransferFault("NOT_FOUND", `${shown}: status ${status}`)
  const later = status === 429 || status === 503 ? retryAfter(headers["retry-after"], now) : null
  if (later !== null) {
    const retryAfterUntil = Math.min(Math.max(later, now), now + limits.retryAfterMaxMs)
    return new TransferFault("ASKED_TO_WAIT", `${shown}: status ${status} with Retry-After`, { retryAfterUntil })
  }
  // Do not retry a 429 at once, even without Retry-After: it reports too many requests.
  return new TransferFault("STATUS", `${shown}: status ${status}`, { isTransient: status >= 500 })
}

/** Parses Retry-After (RFC 9110 10.2.3): seconds or an HTTP date. Returns milliseconds, or null for any other text. */
function retryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text.trim())) return now + Number(text) * SECOND
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}
