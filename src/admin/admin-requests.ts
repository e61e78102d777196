/** Answers the requests of the admin listener: one page, for whom it is meant, in a fixed order of checks. */

import type { ListenAddress } from "../base/listen-address.ts"
import { bugFields, type Log } from "../base/log.ts"
import { isOwnHost } from "./admin-address.ts"
import { hasToken } from "./admin-token.ts"
import { CONTENT_TYPE } from "./exposition.ts"

/** The only path that this listener serves. */
const METRICS_PATH = "/metrics"
/** More requests at the same time get 503. */
export const ADMIN_REQUESTS_MAX = 16

export interface AdminRequestParts {
  readonly address: ListenAddress
  /** SHA-256 of the token; null without one. */
  readonly tokenDigest: Buffer | null
  readonly log: Log
}

interface Arrived {
  readonly request: Request
  /** The port that was bound; 0 on a Unix socket. */
  readonly port: number
  /** Requests in flight, with this one. */
  readonly pending: number
}

/** Null until the service is open. */
export type Print = (() => Promise<string>) | null

export async function replyToAdmin(
  { request, port, pending }: Arrived,
  { address, tokenDigest, log }: AdminRequestParts,
  print: Print,
): Promise<Response> {
  if (pending > ADMIN_REQUESTS_MAX) {
    return problem(503, "Busy", `At most ${ADMIN_REQUESTS_MAX} requests run at once.`, { "retry-after": "1" })
  }
  if (!isOwnHost(request.headers.get("host"), address, port)) {
    return problem(421, "Misdirected request", "The Host header does not name this listener.")
  }
  if (tokenDigest !== null && !hasToken(request, tokenDigest)) {
    return problem(401, "A token is needed", "Send the token of admin_token_file as Authorization: Bearer.", {
      "www-authenticate": "Bearer",
    })
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return problem(405, "Method not allowed", "This listener takes GET and HEAD.", { allow: "GET, HEAD" })
  }
  if (URL.parse(request.url)?.pathname !== METRICS_PATH) {
    return problem(404, "Not found", `This listener serves ${METRICS_PATH} alone.`)
  }
  if (print === null) return problem(503, "Starting", "Try again in a moment.", { "retry-after": "1" })
  try {
    return new Response(await print(), { headers: { ...FIXED_HEADERS, "content-type": CONTENT_TYPE } })
  } catch (error) {
    log.error("bug", { admin: true, ...bugFields(error) })
    return problem(500, "Internal error", "The failure was logged.")
  }
}

const FIXED_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** RFC 9457. The codes of the service's own problems are for its buyers, so this one has no type of its own. */
function problem(status: number, title: string, detail: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: "about:blank", title, status, detail }), {
    status,
    headers: { ...FIXED_HEADERS, "content-type": "application/problem+json", ...headers },
  })
}
