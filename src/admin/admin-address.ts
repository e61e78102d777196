/** Who reaches the address of the admin listener, and which Host headers belong to it. */
import { dirname } from "node:path"
import type { AdminAddress } from "../base/listen-address.ts"
import { isLoopbackName } from "../base/loopback.ts"

/** A path of a Unix socket is at most 107 bytes on Linux. The socket is made in a folder beside its place. */
const SOCKET_PATH_BYTES_MAX = 107
export const SOCKET_FOLDER_PREFIX = ".admin-"
/** A slash, the prefix, six random characters, a slash and one letter. */
const SOCKET_MADE_BYTES = SOCKET_FOLDER_PREFIX.length + 9

/** Whether only this machine can reach it. */
export function isLocal(address: AdminAddress): boolean {
  return address.kind === "unix" || isLoopbackName(address.host)
}

/** Returns why the path can never be a socket, or null. */
export function socketPathFault(path: string): string | null {
  const made = Buffer.byteLength(dirname(path)) + SOCKET_MADE_BYTES
  return Math.max(made, Buffer.byteLength(path)) > SOCKET_PATH_BYTES_MAX
    ? `is too long for a Unix socket: ${SOCKET_PATH_BYTES_MAX} bytes at most, and its folder ${SOCKET_PATH_BYTES_MAX - SOCKET_MADE_BYTES}`
    : null
}

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]
const EVERY_ADDRESS = ["0.0.0.0", "[::]"]
const IP_LITERAL = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

/**
 * Whether a Host header is one that a client of this listener sends. A web page whose name was pointed at this address (DNS rebinding) sends
 * its own name. `port` is the one that was bound. A listener on every address is named by any of them, but never by a name.
 */
export function isOwnHost(host: string | null, address: AdminAddress, port: number): boolean {
  if (host === null) return false
  const given = host.toLowerCase()
  // What common clients send over a Unix socket.
  if (address.kind === "unix") return given === "localhost"
  const names = isLoopbackName(address.host) ? [address.host, ...LOOPBACK_NAMES] : [address.host]
  const suffix = `:${port}`
  const name = given.endsWith(suffix) ? given.slice(0, -suffix.length) : port === 80 ? given : null
  if (name === null) return false
  return names.includes(name) || (EVERY_ADDRESS.includes(address.host) && IP_LITERAL.test(name))
}
