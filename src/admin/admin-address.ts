/** Who reaches the address of the admin listener, and which Host headers belong to it. */
import type { ListenAddress } from "../base/listen-address.ts"
import { isLoopbackName } from "../base/loopback.ts"

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]
const EVERY_ADDRESS = ["0.0.0.0", "[::]"]
const IP_LITERAL = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

/**
 * Whether a Host header is one that a client of this listener sends. A web page whose name was pointed at this address (DNS rebinding) sends
 * its own name. `port` is the one that was bound. A listener on every address is named by any of them, but never by a name.
 */
export function isOwnHost(host: string | null, address: ListenAddress, port: number): boolean {
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
