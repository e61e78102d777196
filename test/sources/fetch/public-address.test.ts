import { expect, test } from "bun:test"
import { isPublicAddress } from "../../../src/sources/fetch/public-address.ts"

const inner: readonly (readonly [kind: string, address: string])[] = [
  ["loopback", "127.0.0.1"],
  ["loopback", "127.255.255.254"],
  ["loopback", "::1"],
  ["this network", "0.0.0.0"],
  ["unspecified", "::"],
  ["private", "10.0.0.1"],
  ["private", "172.16.0.1"],
  ["private", "172.31.255.255"],
  ["private", "192.168.1.1"],
  ["carrier NAT", "100.64.0.1"],
  ["carrier NAT", "100.100.100.200"],
  ["link-local", "169.254.1.1"],
  ["metadata", "169.254.169.254"],
  ["metadata", "168.63.129.16"],
  ["metadata", "fd00:ec2::254"],
  ["metadata", "192.0.0.192"],
  ["link-local", "fe80::1"],
  ["link-local with zone", "fe80::1%eth0"],
  ["a zone on a public address", "2606:4700::1111%eth0"],
  ["unique local", "fc00::1"],
  ["unique local", "fdff::1"],
  ["multicast", "224.0.0.1"],
  ["multicast", "239.255.255.255"],
  ["multicast", "ff02::1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["documentation", "192.0.2.1"],
  ["documentation", "198.51.100.1"],
  ["documentation", "203.0.113.1"],
  ["documentation", "2001:db8::1"],
  ["documentation", "3fff::1"],
  ["benchmarks", "198.18.0.1"],
  ["IPv4 as IPv6", "::ffff:127.0.0.1"],
  ["IPv4 as IPv6", "::ffff:8.8.8.8"],
  ["IPv4 as IPv6, hexadecimal", "::ffff:7f00:1"],
  ["IPv4 compatible", "::127.0.0.1"],
  ["6to4 of a private address", "2002:0a00:0001::1"],
  ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
  ["NAT64 of loopback", "64:ff9b::127.0.0.1"],
  ["NAT64 of a private address", "64:ff9b::c0a8:101"],
  ["NAT64 for local use", "64:ff9b:1::808:808"],
  ["no IP address", "example.com"],
  ["no IP address", ""],
  ["octal", "0177.0.0.1"],
  ["one number", "2130706433"],
]
test.each(inner)("%s %s is not a public address", (_kind, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

const outer = [
  "8.8.8.8",
  "93.184.215.14",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "168.63.129.17",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450:4001::200e",
  "64:ff9b::808:808",
  "64:ff9b::8.8.8.8",
]
test.each(outer)("%s is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true)
})
