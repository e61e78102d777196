/** A list of IP addresses and networks, as an operator writes it. */
import { BlockList, isIP } from "node:net"
import { UNIX } from "./listen-address.ts"

/** IP addresses and networks, and `unix:`, which is every peer of a Unix socket. */
export interface AddressList {
  /** As the operator wrote it. */
  readonly text: string
  readonly isEmpty: boolean
  /** Matches an IPv6 address in any spelling. */
  has(address: string): boolean
}

const BITS = { 4: 32, 6: 128 } as const

/** Returns the fault of a comma-separated list of addresses, CIDR networks and `unix:`, or null. */
export function addressListFault(text: string): string | null {
  for (const entry of entries(text)) {
    const fault = entryFault(entry)
    if (fault !== null) return fault
  }
  return null
}

/** Throws if the list has a fault. */
export function addressList(text: string): AddressList {
  const fault = addressListFault(text)
  if (fault !== null) throw new TypeError(fault)
  const list = new BlockList()
  const all = entries(text)
  const hasUnix = all.includes(UNIX)
  for (const entry of all.filter((one) => one !== UNIX)) {
    const [address = "", length] = entry.split("/")
    const version = isIP(address) === 6 ? 6 : 4
    list.addSubnet(address, length === undefined ? BITS[version] : Number(length), `ipv${version}`)
  }
  const isEmpty = all.length === 0
  return {
    text,
    isEmpty,
    has: (address) => {
      if (address === UNIX) return hasUnix
      const version = isEmpty ? 0 : isIP(address)
      return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4")
    },
  }
}

function entries(text: string): string[] {
  return text === "" ? [] : text.split(",").map((entry) => entry.trim())
}

function entryFault(entry: string): string | null {
  if (entry === UNIX) return null
  const [address = "", length, more] = entry.split("/")
  const version = isIP(address)
  if ((version !== 4 && version !== 6) || address.includes("%") || more !== undefined) {
    return `must be IP addresses, CIDR networks and unix: with commas between them; "${entry}" is neither`
  }
  if (length === undefined) return null
  const bits = BITS[version]
  // Length 0 would match every address.
  if (!/^\d{1,3}$/.test(length) || Number(length) < 1 || Number(length) > bits) {
    return `"${entry}" needs a prefix length of 1 to ${bits}`
  }
  // Usually the address of one proxy with the prefix length of its network, which would trust every neighbour.
  return bitsOf(address, version).includes("1", Number(length)) ? `"${entry}" has bits set after its prefix` : null
}

function bitsOf(address: string, version: 4 | 6): string {
  if (version === 4)
    return address
      .split(".")
      .map((part) => binary(Number(part), 8))
      .join("")
  // The URL standard has one spelling of an IPv6 address: hexadecimal groups, also for an embedded IPv4 address.
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::")
  const [left, right] = [groupBits(head), groupBits(tail)]
  return left + "0".repeat(BITS[6] - left.length - right.length) + right
}

function groupBits(groups: string): string {
  return groups === ""
    ? ""
    : groups
        .split(":")
        .map((group) => binary(Number.parseInt(group, 16), 16))
        .join("")
}

function binary(value: number, width: number): string {
  return value.toString(2).padStart(width, "0")
}
