import { isIP } from "node:net"

/** Whose `X-Forwarded-For` counts. */
export interface TrustedProxies {
  has(address: string): boolean
}

/**
 * The address a rate limit counts: IPv4 as it is, IPv6 as its /64. `X-Forwarded-For` counts only when the connection comes from a
 * trusted proxy. It is walked from its end, past the trusted proxies that stand one behind the other, to the first address none of
 * them vouches for: what stands before that is the client's own words. `Forwarded` (RFC 7239) is not read, because a proxy that sets
 * only the other header passes on whatever the client put there.
 */
export function clientAddress(peer: string | undefined, forwarded: string | null, trusted: TrustedProxies): string {
  let address = plain(peer ?? "unknown")
  if (forwarded === null || !trusted.has(address)) return prefix(address)
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
