import { expect, test } from "bun:test"
import { clientAddress } from "../../src/http/client-address.ts"

const proxies = new Set(["10.0.0.1"])
const rows: readonly [peer: string | undefined, forwarded: string | null, counted: string][] = [
  ["192.0.2.7", null, "192.0.2.7"],
  ["::ffff:192.0.2.7", null, "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", null, "2001:db8:1:2::/64"],
  ["2001:db8::1", null, "2001:db8:0:0::/64"],
  ["192.0.2.7", "203.0.113.9", "192.0.2.7"],
  ["10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "junk", "10.0.0.1"],
  [undefined, null, "unknown"],
]
test.each(rows)("peer %p with X-Forwarded-For %p counts as %p", (peer, forwarded, counted) => {
  expect(clientAddress(peer, forwarded, proxies)).toBe(counted)
})
