import { describe, expect, test } from "bun:test"
import { addressList, addressListFault } from "../../src/base/address-list.ts"

describe("a valid list of addresses is accepted", () => {
  const rows: readonly [list: string, inside: string[], outside: string[]][] = [
    ["", [], ["127.0.0.1", "::1"]],
    ["127.0.0.1", ["127.0.0.1"], ["127.0.0.2", "unknown", ""]],
    ["10.0.0.0/8, 192.0.2.1", ["10.0.0.0", "10.255.1.2", "192.0.2.1"], ["11.0.0.0", "192.0.2.2"]],
    ["192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127"]],
    ["::1,2001:db8::/32", ["::1", "0:0:0:0:0:0:0:1", "2001:DB8:1::5"], ["2001:db9::5", "::2"]],
    ["unix:", ["unix:"], ["127.0.0.1", "unknown", "", "unix"]],
    ["10.0.0.1, unix:", ["unix:", "10.0.0.1"], ["10.0.0.2"]],
    ["127.0.0.1", ["127.0.0.1"], ["unix:"]],
    ["2001:db8:0:8000::/49", ["2001:db8:0:8000::1"], ["2001:db8:0:7fff::1"]],
  ]
  test.each(rows)("%p", (text, inside, outside) => {
    expect(addressListFault(text)).toBeNull()
    const list = addressList(text)
    expect(inside.map((address) => list.has(address))).toEqual(inside.map(() => true))
    expect(outside.map((address) => list.has(address))).toEqual(outside.map(() => false))
  })
})

describe("a list with a mistake is rejected with an error that names it", () => {
  const rows: readonly [list: string, fault: RegExp][] = [
    ["10.0.0", /"10\.0\.0" is neither/],
    ["10.0.0.256", /is neither/],
    ["proxy.internal", /"proxy\.internal" is neither/],
    ["10.0.0.1 10.0.0.2", /is neither/],
    ["10.0.0.1,", /"" is neither/],
    ["10.0.0.1,,10.0.0.2", /"" is neither/],
    ["unix:/run/http.sock", /"unix:\/run\/http\.sock" is neither/],
    ["10.0.0.0/8/8", /is neither/],
    ["fe80::1%eth0", /is neither/],
    ["::1]", /is neither/],
    ["10.0.0.0/33", /prefix length of 1 to 32/],
    ["10.0.0.0/", /prefix length of 1 to 32/],
    ["10.0.0.0/-1", /prefix length of 1 to 32/],
    ["2001:db8::/129", /prefix length of 1 to 128/],
    ["0.0.0.0/0", /prefix length of 1 to 32/],
    ["10.0.0.5/24", /"10\.0\.0\.5\/24" has bits set after its prefix/],
    ["2001:db8::1/64", /has bits set after its prefix/],
    ["127.0.0.1, 10.0.0.0/7.5", /prefix length/],
  ]
  test.each(rows)("%p", (text, fault) => {
    expect(addressListFault(text)).toMatch(fault)
    expect(() => addressList(text)).toThrow(fault)
  })
})
