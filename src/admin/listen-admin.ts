import { GROUP_SOCKET_MODE } from "../base/unix-socket.ts"
import { listenBeside } from "../http/side-listener.ts"
import { type AdminRequestParts, type Print, replyToAdmin } from "./admin-requests.ts"

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
  const { name, stop } = await listenBeside({
    ...{ address, log, name: "admin", socketMode: GROUP_SOCKET_MODE, bodyBytesMax: BODY_BYTES_MAX },
    reply: (request, arrival) => replyToAdmin({ request, ...arrival }, parts, print),
  })
  return {
    name: address.kind === "tcp" ? `${name}/metrics` : name,
    open(next) {
      print = next
    },
    stop,
  }
}
