/**
 * IP addresses that a publisher may have. A redirect or a name server can point to the machine's own services, the cloud's metadata service
 * or the operator's network. No download may come from there (rulings 64).
 */
import { BlockList, isIP } from "node:net"

/** IANA special-purpose registry and addresses that no server has: RFC 6890, 1918, 6598, 3927, 5737, 2544, 7526, 5771, 1112. */
const SPECIAL_V4: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // A public address that one cloud uses for its metadata service.
  ["168.63.129.16", 32],
]

/** Parts of 2000::/3 that no server has, or that embed an IPv4 address to check: RFC 2928, 3849, 3056, 9637. */
const SPECIAL_V6: readonly (readonly [network: string, bits: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]

const specialV4 = new BlockList()
for (const [network, bits] of SPECIAL_V4) specialV4.addSubnet(network, bits, "ipv4")
const specialV6 = new BlockList()
for (const [network, bits] of SPECIAL_V6) specialV6.addSubnet(network, bits, "ipv6")
const globalV6 = new BlockList()
globalV6.addSubnet("2000::", 3, "ipv6")
const translated = new BlockList()
translated.addSubnet("64:ff9b::", 96, "ipv6")

/**
 * Returns true for an address of the public internet. IPv4 uses a deny list, IPv6 an allow list: only ranges assigned to networks pass. So
 * loopback, link-local, unique local, multicast and IPv4 written as IPv6 fail.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !specialV4.check(address, "ipv4")
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (version !== 6 || address.includes("%")) return false
  if (translated.check(address, "ipv6")) return isPublicAddress(embeddedV4(address))
  return globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6")
}

/** Returns the IPv4 address behind a NAT64 gateway (RFC 6052). In an IPv6-only network every IPv4 publisher has such an address. */
function embeddedV4(address: string): string {
  const [high = "0", low = "0"] = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":").slice(-2)
  const [left, right] = [Number.parseInt(high || "0", 16), Number.parseInt(low || "0", 16)]
  return [left >> 8, left & 255, right >> 8, right & 255].join(".")
}
