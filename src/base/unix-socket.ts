/** Unix sockets on which a server listens: how long their path may be, and how one comes to its place. */
import { chmodSync, existsSync, lstatSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import { withFolderLock } from "./folder-lock.ts"

/** Linux; a path has one byte more for its end. */
const SOCKET_PATH_BYTES_MAX = 107
const FOLDER_PREFIX = ".place-"
/** A slash, the prefix, six random characters, a slash and one letter: the socket is made in a folder beside its place. */
const MADE_BYTES = FOLDER_PREFIX.length + 9
/**
 * CHOICE: user and group of the service may connect to a socket that it serves on, so that a proxy or a scraper can run as another user of that
 * group. In a folder with the set-group-ID bit the socket has the group of the folder.
 */
export const GROUP_SOCKET_MODE = 0o660
/** The user of the service alone may connect. */
export const OWNER_SOCKET_MODE = 0o600
/** A listening socket accepts at once. */
const CONNECT_MS = 2000
/** Another process that places its socket needs milliseconds. */
const LOCK_MS = 5000

/** Returns why the path can never be a socket, or null: a sentence without its subject, which is the setting's name. */
export function socketPathFault(path: string): string | null {
  const made = Buffer.byteLength(dirname(path)) + MADE_BYTES
  return Math.max(made, Buffer.byteLength(path)) > SOCKET_PATH_BYTES_MAX
    ? `is too long for a Unix socket: ${SOCKET_PATH_BYTES_MAX} bytes at most, and its folder ${SOCKET_PATH_BYTES_MAX - MADE_BYTES}`
    : null
}

interface SocketServerOptions {
  /** Path at which the socket is made. */
  readonly unix: string
  /** Seconds. */
  readonly idleTimeout: number
  readonly maxRequestBodySize: number
  readonly development: boolean
  readonly fetch: (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>
  readonly error: (error: Error) => Response
}

/** Bun's server ends idle connections of a Unix socket too, but the types of its options exclude that. */
export function serveOnSocket(options: SocketServerOptions): Bun.Server<undefined> {
  const untyped: object = options
  return Bun.serve(untyped as Bun.Serve.Options<undefined>)
}

/** The place of a socket is taken. `message` has no path. */
export class SocketPlaceError extends Error {}

const NOT_A_SOCKET = "a file that is not a socket is there; move it away, or take another path"
const IN_USE = "another process listens there; stop it, or take another path"
const OF_ANOTHER_USER = "the socket of another user is there; remove it, or take another path"
const LOCKED = "another program has a lock on the folder; end it, or take another folder"

/** Throws {@link SocketPlaceError} if something else than a socket is at the path. A socket there may be in use. */
export function requireNoOtherFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isSocket()) throw new SocketPlaceError(NOT_A_SOCKET)
}

interface Place<T> {
  readonly path: string
  readonly mode: number
  /** Listens on the path that it gets. */
  readonly listen: (path: string) => T | Promise<T>
  /** Ends what `listen` returned, when its socket cannot come to its place. */
  readonly close: (listening: T) => Promise<unknown>
}

interface Placed<T> {
  readonly listening: T
  /** Removes the socket, unless another one is at its place. */
  readonly remove: () => void
}

/**
 * Makes the socket in a folder that only this user can enter, and moves it to its place with its mode: nobody else can connect in between.
 * Replaces a socket only if nobody listens on it. Throws {@link SocketPlaceError}, and the errors of the operating system.
 */
export async function placeSocket<T>({ path, mode, listen, close }: Place<T>): Promise<Placed<T>> {
  const folder = mkdtempSync(join(dirname(path), FOLDER_PREFIX))
  try {
    const made = join(folder, "s")
    const listening = await listen(made)
    try {
      chmodSync(made, mode)
      const { ino } = lstatSync(made)
      // Two processes that find the same unused socket must not replace each other.
      const taken = await withFolderLock(dirname(path), LOCK_MS, () => takePlace(made, path))
      if (taken === null) throw new SocketPlaceError(LOCKED)
      const remove = () => {
        if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true })
      }
      return { listening, remove }
    } catch (error) {
      await close(listening)
      throw error
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function takePlace(made: string, path: string): Promise<void> {
  requireNoOtherFile(path)
  if (existsSync(path) && (await isListening(path))) throw new SocketPlaceError(IN_USE)
  renameSync(made, path)
}

/** A socket that neither refuses nor accepts, such as one with a full queue or of another kind, belongs to somebody. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, timeout: CONNECT_MS })
    const end = (listens: boolean) => {
      socket.destroy()
      resolve(listens)
    }
    socket.on("connect", () => end(true))
    socket.on("timeout", () => end(true))
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EACCES" || error.code === "EPERM") reject(new SocketPlaceError(OF_ANOTHER_USER))
      else end(error.code !== "ECONNREFUSED" && error.code !== "ENOENT")
    })
  })
}
