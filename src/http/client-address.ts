import { isIP } from "node:net"

/** Proxies whose `X-Forwarded-For` is trusted. */
export interface TrustedProxies {
  has(address: string): boolean
}

/**
 * Returns the rate-limit key of a client: an IPv4 address, or the /64 of an IPv6 address. `X-Forwarded-For` is used only if the connection
 * comes from a trusted proxy. The header is read from its end, past any chain of trusted proxies, to the first address that is not one of
 * them; the client could have written everything before that. `Forwarded` (RFC 7239) is not read, because a proxy that sets only the other
 * header passes on whatever the client sent there. `onIgnored`: called for a header that is not used.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | null,
  trusted: TrustedProxies,
  onIgnored = () => {},
): string {
  let address = plain(peer ?? "unknown")
  if (forwarded === null) return prefix(address)
  if (!trusted.has(address)) {
    onIgnored()
    return prefix(address)
  }
  for (const hop of forwarded.split(",").reverse()) {
    const before = withoutPort(hop.trim())
    if (isIP(before) === 0) break
    address = plain(before)
    if (!trusted.has(address)) break
  }
  return prefix(address)
}

/** Some proxies write `192.0.2.7:4711` and `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
}

function plain(address: string): string {
  const lower = address.toLowerCase()
  return lower.startsWith("::ffff:") && isIP(lower.slice(7)) === 4 ? lower.slice(7) : lower
}

function prefix(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = "", tail = ""] = address.split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === "" ? [] : tail.split(":")
  const missing = address.includes("::") ? Array.from({ length: 8 - left.length - right.length }, () => "0") : []
  const groups = [...left, ...missing, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`
}
