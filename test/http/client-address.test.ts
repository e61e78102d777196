import { expect, test } from "bun:test"
import { addressList } from "../../src/base/address-list.ts"
import { clientAddress } from "../../src/http/client-address.ts"

const proxies = addressList("10.0.0.0/8, 192.0.2.1, 2001:db8:ffff::/48, unix:")
const rows: readonly [peer: string | undefined, forwarded: string | null, counted: string][] = [
  ["192.0.2.7", null, "192.0.2.7"],
  ["::ffff:192.0.2.7", null, "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", null, "2001:db8:1:2::/64"],
  ["2001:DB8::1", null, "2001:db8:0:0::/64"],
  ["2001:0db8:0000:0000::1", null, "2001:db8:0:0::/64"],
  // Only a trusted peer is believed.
  ["192.0.2.7", "203.0.113.9", "192.0.2.7"],
  ["10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["::ffff:10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["2001:db8:ffff::1", "203.0.113.9", "203.0.113.9"],
  // Addresses before the first untrusted one are the client's own claim.
  ["10.0.0.1", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "10.9.9.9, 203.0.113.9", "203.0.113.9"],
  // A chain of proxies.
  ["10.0.0.1", "1.1.1.1, 203.0.113.9, 192.0.2.1, 10.4.4.4", "203.0.113.9"],
  ["10.0.0.1", "10.2.2.2, 10.4.4.4", "10.2.2.2"],
  ["10.0.0.1", "2001:db8:1:2::9", "2001:db8:1:2::/64"],
  // Ports and invalid addresses: the last trusted address counts.
  ["10.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
  ["10.0.0.1", "[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64"],
  ["10.0.0.1", "junk", "10.0.0.1"],
  ["10.0.0.1", "203.0.113.9, junk, 10.4.4.4", "10.4.4.4"],
  ["10.0.0.1", "", "10.0.0.1"],
  ["10.0.0.1", ",,,", "10.0.0.1"],
  [undefined, "203.0.113.9", "unknown"],
  // A Unix socket is one proxy.
  ["unix:", "203.0.113.9", "203.0.113.9"],
  ["unix:", "1.1.1.1, 203.0.113.9, 10.4.4.4", "203.0.113.9"],
  ["unix:", "2001:db8:1:2::9", "2001:db8:1:2::/64"],
  ["unix:", null, "unix:"],
  ["unix:", "unix:", "unix:"],
  ["unix:", "junk", "unix:"],
]
test.each(rows)("peer %p with X-Forwarded-For %p counts as %p", (peer, forwarded, counted) => {
  expect(clientAddress(peer, forwarded, proxies)).toBe(counted)
})

test("a Unix socket that is not named as a proxy gives nobody the choice of an address", () => {
  expect(clientAddress("unix:", "203.0.113.9", addressList("10.0.0.0/8"))).toBe("unix:")
})
