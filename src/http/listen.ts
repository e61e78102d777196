/**
 * The socket. It is bound before anything else is opened, so that a port in use changes nothing on disk and the address is known
 * before `base_url` is needed; until the routes are ready every request is told 503.
 */
import { ServiceError } from "../errors.ts"
import { bugFields } from "../log.ts"
import { BODIES_PER_CLIENT_MAX, BodiesOnTheWay } from "./bodies-on-the-way.ts"
import { problemResponse } from "./problem.ts"
import { RequestIds, traceIdOf } from "./request-ids.ts"
import type { Shell, ShellSocket } from "./serve.ts"

/**
 * Above the body limit of our own, so that 64 KiB + 1 gets a problem document. What exceeds this one is cut off by Bun with a
 * bodiless 413 before any of our code runs.
 */
export const RECEIVED_BYTES_MAX = 1024 * 1024

/** CHOICE: Bun has no limit on connections, so requests in flight are counted; idle connections end after `IDLE_SECONDS`. */
export const IN_FLIGHT_MAX = 2000

/** Above this only requests of buyers who have paid are taken: the rest is kept for them. */
export const UNPAID_IN_FLIGHT_MAX = 1800

export interface ListenLimits {
  readonly inFlightMax: number
  readonly unpaidInFlightMax: number
  readonly bodiesPerClientMax: number
}

const LIMITS: ListenLimits = {
  inFlightMax: IN_FLIGHT_MAX,
  unpaidInFlightMax: UNPAID_IN_FLIGHT_MAX,
  bodiesPerClientMax: BODIES_PER_CLIENT_MAX,
}

/** Cuts stalled headers, stalled bodies and idle keep-alive; a POST whose body has arrived is never cut by it. */
const IDLE_SECONDS = 10

type Handle = (request: Request) => Response | Promise<Response>

export interface Listener {
  /** `http://HOST:PORT` with the port that was really bound. */
  readonly origin: string
  /** From now on requests go to `handle`, and what is refused here names its error under `baseUrl`. */
  open(handle: Handle, baseUrl: string): void
  readonly socket: ShellSocket
  /** Takes no new connection, waits for requests in flight at most `graceMs`, then cuts. True when nothing was cut. */
  stop(graceMs: number): Promise<boolean>
}

/** `address` is HOST:PORT. Throws what Bun throws (EADDRINUSE, EACCES). */
export function listen(
  address: string,
  shell: Pick<Shell, "machine" | "log">,
  given: Partial<ListenLimits> = {},
): Listener {
  const limits = { ...LIMITS, ...given }
  const unpaidMax = Math.min(limits.unpaidInFlightMax, limits.inFlightMax)
  const colon = address.lastIndexOf(":")
  const host = address.slice(0, colon)
  const requestIds = new RequestIds(shell.machine)
  const refuse = (request: Request, error: ServiceError) =>
    problemResponse(error, {
      path: URL.parse(request.url)?.pathname ?? "/",
      baseUrl: named ?? origin,
      requestId: requestIds.next(),
      traceId: traceIdOf(shell.machine, request.headers.get("traceparent")),
    })
  let handle: Handle = (request) => refuse(request, new ServiceError("SERVICE_STARTING", "Try again in a moment."))
  let named: string | undefined
  let origin = ""
  let polls = 0
  let isPolling = false
  const server = Bun.serve({
    hostname: host.replace(/^\[|\]$/g, ""),
    port: Number(address.slice(colon + 1)),
    maxRequestBodySize: RECEIVED_BYTES_MAX,
    idleTimeout: IDLE_SECONDS,
    // Two processes on one port would split traffic silently; a second one must fail instead.
    reusePort: false,
    development: false,
    fetch: (request, bound) => {
      if (!isPolling) {
        isPolling = true
        polls++
        // Runs after the last request of this poll and before the next poll.
        setImmediate(() => {
          isPolling = false
        })
      }
      if (bound.pendingRequests > unpaidMax) {
        const max = isOfBuyer(request) ? limits.inFlightMax : unpaidMax
        if (bound.pendingRequests > max) {
          return refuse(request, new ServiceError("SERVICE_BUSY", `At most ${max} requests run at once.`))
        }
      }
      // Bun builds the URL out of the Host header as sent; one that is no host would be logged as a bug of ours, at anybody's will.
      // Two Host headers arrive as one with a comma, and proxies disagree which of them counts.
      if (!URL.canParse(request.url) || request.headers.get("host")?.includes(",")) {
        return refuse(request, new ServiceError("MALFORMED_HEADER", "Send one Host header with one host."))
      }
      return handle(request)
    },
    error: (error) => {
      shell.log.error("bug", bugFields(error))
      return new Response(null, { status: 500 })
    },
  })
  origin = `http://${host}:${server.port}`
  return {
    origin,
    open(next, baseUrl) {
      handle = next
      named = baseUrl
    },
    socket: {
      peerOf: (request) => server.requestIP(request)?.address,
      poll: () => polls,
      bodies: new BodiesOnTheWay(limits.bodiesPerClientMax),
    },
    async stop(graceMs) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), graceMs)
      })
      const drained = await Promise.race([server.stop(false).then(() => true), late])
      clearTimeout(timer)
      if (!drained) await server.stop(true)
      return drained
    },
  }
}

/** A payment, or the recovery of what was paid for. Whether it is a good one is not known here. */
function isOfBuyer({ method, headers, url }: Request): boolean {
  return (
    method === "POST" && (headers.has("payment-signature") || URL.parse(url)?.pathname.endsWith("/recover") === true)
  )
}
