/**
 * The socket. It is bound before anything else opens. So a port in use changes nothing on disk, and the address is known before `base_url`
 * is needed. Until the routes are ready, every request gets 503.
 */

import { ServiceError } from "../base/errors.ts"
import { type TcpAddress, UNIX } from "../base/listen-address.ts"
import { bugFields } from "../base/log.ts"
import { GROUP_SOCKET_MODE, placeSocket, serveOnSocket } from "../base/unix-socket.ts"
import { BODIES_PER_CLIENT_MAX, BodiesOnTheWay } from "./bodies-on-the-way.ts"
import { clientOf } from "./client-address.ts"
import { type Full, InFlight, type InFlightMax } from "./in-flight.ts"
import { Polls } from "./polls.ts"
import { problemResponse } from "./problem.ts"
import { NO_OPERATION } from "./process-counts.ts"
import { RequestIds, traceIdOf } from "./request-ids.ts"
import type { Shell, ShellSocket } from "./shell.ts"

/**
 * Larger than the highest body limit of a route (1 MiB), so that a body of one byte more gets a problem document. Bun cuts off anything
 * larger with a 413 without a body, before this code runs.
 */
export const RECEIVED_BYTES_MAX = 1024 * 1024 + 64 * 1024

/** CHOICE: Bun has no limit on connections, so the service limits requests in flight. Idle connections end after `IDLE_SECONDS`. */
export const IN_FLIGHT_MAX = 2000

/**
 * Above this number only requests of buyers who have paid are accepted. The remaining capacity is reserved for them. CHOICE: a payment in the
 * body of an MCP call is not seen before the body is read, so it has no reserved capacity. The same payment over HTTP has it, and is the same
 * purchase.
 */
export const UNPAID_IN_FLIGHT_MAX = 1800

export interface ListenLimits extends InFlightMax {
  readonly bodiesPerClientMax: number
}

const LIMITS: ListenLimits = {
  inFlightMax: IN_FLIGHT_MAX,
  unpaidInFlightMax: UNPAID_IN_FLIGHT_MAX,
  bodiesPerClientMax: BODIES_PER_CLIENT_MAX,
}

/** Ends stalled headers, stalled bodies and idle keep-alive connections. It never ends a POST whose body has arrived. */
const IDLE_SECONDS = 10

type Handle = (request: Request) => Response | Promise<Response>

export interface Listener {
  /** `http://HOST:PORT` with the port that was bound, or `unix:PATH`. */
  readonly origin: string
  /** From this call on, `handle` receives the requests, and rejections by the socket name their error under `baseUrl`. */
  open(handle: Handle, baseUrl: string): void
  readonly socket: ShellSocket
  /** Requests in flight. */
  pending(): number
  /** Accepts no new connections, waits at most `graceMs` for requests in flight, then closes them. True if none had to be closed. */
  stop(graceMs: number): Promise<boolean>
}

type ListenShell = Pick<Shell, "machine" | "log" | "counts" | "trustedProxies" | "access">

/** Throws the errors of Bun (EADDRINUSE, EACCES). */
export function listen(
  { host, port }: Pick<TcpAddress, "host" | "port">,
  shell: ListenShell,
  given: Partial<ListenLimits> = {},
): Listener {
  const { options, listenerOf } = begin(shell, given, (request, bound) => bound.requestIP(request)?.address)
  const server = Bun.serve({
    ...options,
    hostname: host.replace(/^\[|\]$/g, ""),
    port,
    // Two processes on one port would share traffic silently. The second one must fail instead.
    reusePort: false,
  })
  const origin = `http://${host}:${server.port}`
  return listenerOf(server, { name: origin, baseUrl: origin })
}

interface SocketPlace {
  /** Absolute. */
  readonly path: string
  /** Public origin, for refusals before the routes are ready. */
  readonly baseUrl: string
}

/** Whoever connects is the proxy `unix:`. Throws SocketPlaceError, and the errors of the operating system. */
export async function listenOnSocket(
  { path, baseUrl }: SocketPlace,
  shell: ListenShell,
  given: Partial<ListenLimits> = {},
): Promise<Listener> {
  const { options, listenerOf } = begin(shell, given, () => UNIX)
  const { listening, remove } = await placeSocket({
    path,
    mode: GROUP_SOCKET_MODE,
    listen: (unix) => serveOnSocket({ ...options, unix }),
    close: (server) => server.stop(true),
  })
  const listener = listenerOf(listening, { name: `${UNIX}${path}`, baseUrl })
  return {
    ...listener,
    stop: (graceMs) => {
      remove()
      return listener.stop(graceMs)
    },
  }
}

type Bound = Pick<Bun.Server<undefined>, "pendingRequests" | "requestIP">

/** Address of the other side of a connection. */
type PeerOf = (request: Request, bound: Bound) => string | undefined

/** Options of Bun's server, and the listener that it becomes. */
function begin(shell: ListenShell, given: Partial<ListenLimits>, peerOf: PeerOf) {
  const limits = { ...LIMITS, ...given }
  let baseUrl = ""
  const replyRefusal = refusalsOfSocket(shell, () => baseUrl)
  let handle: Handle | null = null
  const inFlight = new InFlight(limits)
  const hasOneHost = hostCheck()
  const options = {
    maxRequestBodySize: RECEIVED_BYTES_MAX,
    idleTimeout: IDLE_SECONDS,
    development: false,
    fetch: (request: Request, bound: Bound) => {
      const client = () => clientOf(request, peerOf(request, bound), shell)
      if (!hasOneHost(request)) {
        return replyRefusal(
          request,
          client,
          new ServiceError("MALFORMED_HEADER", "Send one Host header with one host."),
        )
      }
      const entered = inFlight.enter(bound.pendingRequests, { client, isOfBuyer: () => isOfBuyer(request) })
      if (typeof entered === "string") return replyRefusal(request, client, fullError(entered))
      if (handle === null) {
        entered?.()
        return replyRefusal(request, client, new ServiceError("SERVICE_STARTING", "Try again in a moment."))
      }
      const given = handle(request)
      if (given instanceof Promise) inFlight.run(given, entered)
      else entered?.()
      return given
    },
    error: (error: Error) => {
      shell.log.error("bug", bugFields(error))
      return new Response(null, { status: 500 })
    },
  } as const
  const listenerOf = (server: Bun.Server<undefined>, at: { name: string; baseUrl: string }): Listener => {
    baseUrl = at.baseUrl
    return {
      origin: at.name,
      open(next, publicUrl) {
        handle = next
        baseUrl = publicUrl
      },
      socket: {
        peerOf: (request) => peerOf(request, server),
        polls: new Polls(),
        bodies: new BodiesOnTheWay(limits.bodiesPerClientMax),
      },
      pending: () => server.pendingRequests,
      stop: (graceMs) => stopServer(server, graceMs),
    }
  }
  return { options, listenerOf }
}

/** Replies to a request that reaches no operation. */
function refusalsOfSocket(
  { machine, counts, access }: ListenShell,
  baseUrl: () => string,
): (request: Request, client: () => string, error: ServiceError) => Response {
  const requestIds = new RequestIds(machine)
  const unrouted = counts?.operation(NO_OPERATION)
  return (request, client, error) => {
    const startedAt = machine.monotonic()
    const requestId = requestIds.next()
    const response = problemResponse(error, {
      path: URL.parse(request.url)?.pathname ?? "/",
      baseUrl: baseUrl(),
      requestId,
      traceId: traceIdOf(machine, request.headers.get("traceparent")),
    })
    response.headers.set("x-request-id", requestId)
    response.headers.set("x-content-type-options", "nosniff")
    const milliseconds = Math.round((machine.monotonic() - startedAt) * 10) / 10
    unrouted?.request(response.status, milliseconds)
    const { status } = response
    access?.request({ client: client(), method: request.method, path: null, status, milliseconds, requestId })
    return response
  }
}

/**
 * Bun builds the URL from the Host header as sent. Without this check, any client could log a bug of the service with an invalid host. Two
 * Host headers arrive as one with a comma, and proxies disagree which one to use. Almost all requests name the same host, and no path
 * makes a URL invalid.
 */
function hostCheck(): (request: Request) => boolean {
  /** The last Host header that was accepted, and the URL's part before the path that Bun made of it. */
  let accepted: { readonly host: string; readonly origin: string } | null = null
  return ({ url, headers }) => {
    const host = headers.get("host") ?? ""
    if (host === accepted?.host && url.startsWith(accepted.origin)) return true
    if (!URL.canParse(url) || host.includes(",")) return false
    const origin = `http://${host}/`
    if (url.startsWith(origin)) accepted = { host, origin }
    return true
  }
}

async function stopServer(server: Bun.Server<undefined>, graceMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), graceMs)
  })
  const drained = await Promise.race([server.stop(false).then(() => true), late])
  clearTimeout(timer)
  if (!drained) await server.stop(true)
  return drained
}

function fullError(full: Full): ServiceError {
  if (full === "ALL_USED_UP") {
    return new ServiceError("SERVICE_BUSY", "As many requests as the service takes run now. Send this one again.")
  }
  return new ServiceError(
    "RATE_LIMITED",
    "The share of this address in the requests in flight is used up. Send this one again when another one has ended.",
    { reasonCodes: ["IN_FLIGHT_OF_ADDRESS"], retryAfterSeconds: 1 },
  )
}

/** A payment, or the recovery of a paid answer. The payment is not verified yet. */
function isOfBuyer({ method, headers, url }: Request): boolean {
  return (
    method === "POST" && (headers.has("payment-signature") || URL.parse(url)?.pathname.endsWith("/recover") === true)
  )
}
