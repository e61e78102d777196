import { isIP } from "node:net"
import { UNIX } from "../base/listen-address.ts"

/** IGNORED: the header came from no trusted proxy. MISSING: a Unix socket brought no address. */
export type ForwardedFault = "IGNORED" | "MISSING"

/** Proxies whose `X-Forwarded-For` is trusted. */
export interface TrustedProxies {
  has(address: string): boolean
}

/**
 * Returns the rate-limit key of a client: an IPv4 address, or the /64 of an IPv6 address. `X-Forwarded-For` is used only if the connection
 * comes from a trusted proxy. The header is read from its end, past any chain of trusted proxies, to the first address that is not one of
 * them; the client could have written everything before that. `Forwarded` (RFC 7239) is not read, because a proxy that sets only the other
 * header passes on whatever the client sent there. `peer` is `unix:` for a Unix socket, which has no address: a request without a forwarded
 * one gets that key. `onFault`: called for a header that is not used, and for one that is missing there.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | null,
  trusted: TrustedProxies,
  onFault: (fault: ForwardedFault) => void = () => {},
): string {
  let address = plain(peer ?? "unknown")
  if (forwarded !== null && !trusted.has(address)) onFault("IGNORED")
  else address = lastUntrusted(address, forwarded ?? "", trusted)
  if (address === UNIX) onFault("MISSING")
  return prefix(address)
}

/** `address` where the header names no other one. */
function lastUntrusted(peer: string, forwarded: string, trusted: TrustedProxies): string {
  let address = peer
  for (const hop of forwarded.split(",").reverse()) {
    const before = withoutPort(hop.trim())
    if (isIP(before) === 0) break
    address = plain(before)
    if (!trusted.has(address)) break
  }
  return address
}

interface KnowsProxies {
  readonly trustedProxies: TrustedProxies
  readonly ignoredForwards?: { readonly note: (fault: ForwardedFault) => void } | undefined
}

/** Returns the rate-limit key of the client of a request, and notes why it is not known. */
export function clientOf(request: Request, peer: string | undefined, shell: KnowsProxies): string {
  const note = (fault: ForwardedFault) => shell.ignoredForwards?.note(fault)
  return clientAddress(peer, request.headers.get("x-forwarded-for"), shell.trustedProxies, note)
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
