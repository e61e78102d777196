/** A listener beside the public one, on an address or a Unix socket of its own. */
import { type ListenAddress, UNIX } from "../base/listen-address.ts"
import { bugFields, type Log } from "../base/log.ts"
import { placeSocket, serveOnSocket } from "../base/unix-socket.ts"

/** Ends idle connections. */
const IDLE_SECONDS = 10

interface Arrival {
  /** The port that was bound; 0 on a Unix socket. */
  readonly port: number
  /** Requests in flight, with this one. */
  readonly pending: number
}

interface SideParts {
  readonly address: ListenAddress
  /** Mode of a Unix socket. */
  readonly socketMode: number
  readonly bodyBytesMax: number
  readonly log: Log
  /** Names the listener in the log line of a bug. */
  readonly name: "admin" | "desk"
  readonly reply: (request: Request, arrival: Arrival) => Response | Promise<Response>
}

interface SideListener {
  /** `http://HOST:PORT` with the port that was bound, or `unix:PATH`. */
  readonly name: string
  /** The port that was bound; 0 on a Unix socket. */
  readonly port: number
  stop(): Promise<void>
}

/** Throws SocketPlaceError, and the errors of the operating system (EADDRINUSE, EACCES). */
export async function listenBeside(parts: SideParts): Promise<SideListener> {
  const { address, log, name, reply } = parts
  const fetch = (
    request: Request,
    { port = 0, pendingRequests }: Pick<Bun.Server<undefined>, "port" | "pendingRequests">,
  ) => reply(request, { port, pending: pendingRequests })
  const error = (fault: Error) => {
    log.error("bug", { [name]: true, ...bugFields(fault) })
    return new Response(null, { status: 500 })
  }
  const common = { maxRequestBodySize: parts.bodyBytesMax, idleTimeout: IDLE_SECONDS, development: false, error }
  if (address.kind === "tcp") {
    const { host, port } = address
    const hostname = host.replace(/^\[|\]$/g, "")
    const server = Bun.serve({ ...common, hostname, port, reusePort: false, fetch })
    const bound = server.port ?? port
    return { name: `http://${host}:${bound}`, port: bound, stop: () => server.stop(true) }
  }
  const { path } = address
  const { listening, remove } = await placeSocket({
    path,
    mode: parts.socketMode,
    listen: (unix) => serveOnSocket({ ...common, unix, fetch }),
    close: (server) => server.stop(true),
  })
  return {
    name: `${UNIX}${path}`,
    port: 0,
    stop: async () => {
      remove()
      await listening.stop(true)
    },
  }
}
