import { describe, expect, test } from "bun:test"
import { isOwnHost } from "../../src/admin/admin-address.ts"
import { isLocal, listenAddress } from "../../src/base/listen-address.ts"

describe("a Host header belongs to the listener", () => {
  test.each<[listen: string, port: number, host: string | null, own: boolean]>([
    ["127.0.0.1:9402", 9402, "127.0.0.1:9402", true],
    ["127.0.0.1:9402", 9402, "localhost:9402", true],
    ["127.0.0.1:9402", 9402, "LOCALHOST:9402", true],
    ["127.0.0.1:9402", 9402, "[::1]:9402", true],
    ["[::1]:0", 40_000, "[::1]:40000", true],
    ["127.0.0.2:9402", 9402, "127.0.0.2:9402", true],
    ["127.0.0.1:80", 80, "localhost", true],
    ["127.0.0.1:9402", 9402, "localhost", false],
    ["127.0.0.1:9402", 9402, "localhost:9403", false],
    ["127.0.0.1:9402", 9402, "rebound.example:9402", false],
    ["127.0.0.1:9402", 9402, "localhost.rebound.example:9402", false],
    ["127.0.0.1:9402", 9402, "127.0.0.1.rebound.example:9402", false],
    ["127.0.0.1:9402", 9402, "localhost:9402,rebound.example", false],
    ["127.0.0.1:9402", 9402, "192.0.2.7:9402", false],
    ["127.0.0.1:9402", 9402, "", false],
    ["127.0.0.1:9402", 9402, null, false],
    ["metrics.internal:9402", 9402, "Metrics.Internal:9402", true],
    ["metrics.internal:9402", 9402, "localhost:9402", false],
    ["10.0.0.5:9402", 9402, "10.0.0.5:9402", true],
    ["10.0.0.5:9402", 9402, "127.0.0.1:9402", false],
    ["0.0.0.0:9402", 9402, "10.0.0.5:9402", true],
    ["[::]:9402", 9402, "[2001:db8::1]:9402", true],
    ["0.0.0.0:9402", 9402, "rebound.example:9402", false],
    ["/run/admin.sock", 0, "localhost", true],
    ["/run/admin.sock", 0, "rebound.example", false],
    ["/run/admin.sock", 0, null, false],
  ])("%s on port %p, Host %p: %p", (listen, port, host, own) => {
    expect(isOwnHost(host, listenAddress(listen), port)).toBe(own)
  })
})

test.each([
  ["127.0.0.1:1", true],
  ["localhost:1", true],
  ["[::1]:1", true],
  ["/run/admin.sock", true],
  ["0.0.0.0:1", false],
  ["[::]:1", false],
  ["10.0.0.1:1", false],
  ["localhost.example:1", false],
  ["127.0.0.1.example:1", false],
])("%s is reached from this machine alone: %p", (listen, local) => {
  expect(isLocal(listenAddress(listen))).toBe(local)
})
