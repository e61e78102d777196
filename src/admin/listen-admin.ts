import { bugFields } from "../base/log.ts"
import { GROUP_SOCKET_MODE, placeSocket, serveOnSocket } from "../base/unix-socket.ts"
import { type AdminRequestParts, type Print, replyToAdmin } from "./admin-requests.ts"

/** Ends idle connections. */
const IDLE_SECONDS = 10
/** A reader sends no body. */
const BODY_BYTES_MAX = 1024

export interface AdminListener {
  /** `http://HOST:PORT/metrics` with the port that was bound, or `unix:PATH`. */
  readonly name: string
  /** From this call on, readers get the page. */
  open(print: NonNullable<Print>): void
  stop(): Promise<void>
}

/** Throws SocketPlaceError, and the errors of the operating system (EADDRINUSE, EACCES). */
export async function listenAdmin(parts: AdminRequestParts): Promise<AdminListener> {
  const { address, log } = parts
  let print: Print = null
  const fetch = (
    request: Request,
    { port = 0, pendingRequests }: Pick<Bun.Server<undefined>, "port" | "pendingRequests">,
  ) => replyToAdmin({ request, port, pending: pendingRequests }, parts, print)
  const error = (fault: Error) => {
    log.error("bug", { admin: true, ...bugFields(fault) })
    return new Response(null, { status: 500 })
  }
  const common = { maxRequestBodySize: BODY_BYTES_MAX, idleTimeout: IDLE_SECONDS, development: false, error }
  const open = (next: NonNullable<Print>) => {
    print = next
  }
  if (address.kind === "tcp") {
    const { host, port } = address
    const hostname = host.replace(/^\[|\]$/g, "")
    const server = Bun.serve({ ...common, hostname, port, reusePort: false, fetch })
    return { name: `http://${host}:${server.port}/metrics`, open, stop: () => server.stop(true) }
  }
  const { path } = address
  const { listening, remove } = await placeSocket({
    path,
    mode: GROUP_SOCKET_MODE,
    listen: (unix) => serveOnSocket({ ...common, unix, fetch }),
    close: (server) => server.stop(true),
  })
  return {
    name: `unix:${path}`,
    open,
    stop: async () => {
      remove()
      await listening.stop(true)
    },
  }
}
