/**
 * The socket. It is bound before anything else is opened, so that a port in use changes nothing on disk and the address is known
 * before `base_url` is needed; until the routes are ready every request is told 503.
 */
import { ServiceError } from "../errors.ts"
import { bugFields } from "../log.ts"
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

/** Cuts stalled headers, stalled bodies and idle keep-alive; a POST whose body has arrived is never cut by it. */
const IDLE_SECONDS = 10

type Handle = (request: Request) => Response | Promise<Response>

export interface Listener {
  /** `http://HOST:PORT` with the port that was really bound. */
  readonly origin: string
  /** From now on requests go to `handle`. */
  open(handle: Handle): void
  readonly socket: ShellSocket
  /** Takes no new connection, waits for requests in flight at most `graceMs`, then cuts. True when nothing was cut. */
  stop(graceMs: number): Promise<boolean>
}

/** `address` is HOST:PORT. Throws what Bun throws (EADDRINUSE, EACCES). */
export function listen(
  address: string,
  shell: Pick<Shell, "machine" | "log">,
  limits: { readonly inFlightMax: number } = { inFlightMax: IN_FLIGHT_MAX },
): Listener {
  const colon = address.lastIndexOf(":")
  const host = address.slice(0, colon)
  const requestIds = new RequestIds(shell.machine)
  const refuse = (request: Request, error: ServiceError) =>
    problemResponse(error, {
      path: URL.parse(request.url)?.pathname ?? "/",
      requestId: requestIds.next(),
      traceId: traceIdOf(shell.machine, request.headers.get("traceparent")),
    })
  let handle: Handle = (request) => refuse(request, new ServiceError("SERVICE_STARTING", "Try again in a moment."))
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
      if (bound.pendingRequests > limits.inFlightMax) {
        return refuse(request, new ServiceError("SERVICE_BUSY", `At most ${limits.inFlightMax} requests run at once.`))
      }
      // Bun builds the URL out of the Host header as sent; one that is no host would be logged as a bug of ours, at anybody's will.
      if (!URL.canParse(request.url)) {
        return refuse(request, new ServiceError("MALFORMED_HEADER", "The Host header is missing or is no host."))
      }
      return handle(request)
    },
    error: (error) => {
      shell.log.error("bug", bugFields(error))
      return new Response(null, { status: 500 })
    },
  })
  return {
    origin: `http://${host}:${server.port}`,
    open(next) {
      handle = next
    },
    socket: {
      peerOf: (request) => server.requestIP(request)?.address,
      poll: () => polls,
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
