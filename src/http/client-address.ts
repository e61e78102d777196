import { isIP } from "node:net"

/**
 * The address a rate limit counts: IPv4 as it is, IPv6 as its /64. `X-Forwarded-For` counts only when the connection comes from a
 * configured proxy, and then its last entry does: earlier ones are the client's own words.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | null,
  trustedProxies: ReadonlySet<string>,
): string {
  const direct = plain(peer ?? "unknown")
  if (!trustedProxies.has(direct) || forwarded === null) return prefix(direct)
  const last = plain(forwarded.split(",").at(-1)?.trim() ?? "")
  return prefix(isIP(last) ? last : direct)
}

function plain(address: string): string {
  return address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address
}

function prefix(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = "", tail = ""] = address.split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === "" ? [] : tail.split(":")
  const missing = address.includes("::") ? Array.from({ length: 8 - left.length - right.length }, () => "0") : []
  return `${[...left, ...missing, ...right].slice(0, 4).join(":")}::/64`
}
