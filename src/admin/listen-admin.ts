import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { bugFields } from "../base/log.ts"
import { SOCKET_FOLDER_PREFIX } from "./admin-address.ts"
import { type AdminRequestParts, type Print, replyToAdmin } from "./admin-requests.ts"

/** Ends idle connections over TCP. Bun has no such limit for a Unix socket, which only users of this machine reach. */
const IDLE_SECONDS = 10
/** A reader sends no body. */
const BODY_BYTES_MAX = 1024
/** CHOICE: the group of the service may connect to the socket, so that a scraper can run as another user of that group. */
const SOCKET_MODE = 0o660

export interface AdminListener {
  /** `http://HOST:PORT/metrics` with the port that was bound, or `unix:PATH`. */
  readonly name: string
  /** From this call on, readers get the page. */
  open(print: NonNullable<Print>): void
  stop(): Promise<void>
}

/** Throws the errors of the operating system (EADDRINUSE, EACCES). */
export function listenAdmin(parts: AdminRequestParts): AdminListener {
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
  const common = { maxRequestBodySize: BODY_BYTES_MAX, development: false, error }
  const open = (next: NonNullable<Print>) => {
    print = next
  }
  if (address.kind === "tcp") {
    const { host, port } = address
    const hostname = host.replace(/^\[|\]$/g, "")
    const server = Bun.serve({ ...common, hostname, port, reusePort: false, idleTimeout: IDLE_SECONDS, fetch })
    return { name: `http://${host}:${server.port}/metrics`, open, stop: () => server.stop(true) }
  }
  const { path } = address
  const { value: server, inode } = placeSocket(path, (unix) => Bun.serve({ ...common, unix, fetch }))
  return {
    name: `unix:${path}`,
    open,
    stop: async () => {
      // Another process may have put its own socket there since.
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path, { force: true })
      await server.stop(true)
    },
  }
}

/**
 * Makes the socket in a folder that only this user can enter, and moves it to its place with its mode: nobody else can connect in between,
 * and the socket of a killed process is replaced.
 */
function placeSocket<T>(path: string, listen: (path: string) => T): { value: T; inode: number } {
  const folder = mkdtempSync(join(dirname(path), SOCKET_FOLDER_PREFIX))
  try {
    const made = join(folder, "s")
    const value = listen(made)
    chmodSync(made, SOCKET_MODE)
    const { ino } = lstatSync(made)
    renameSync(made, path)
    return { value, inode: ino }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
