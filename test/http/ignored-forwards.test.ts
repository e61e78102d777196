/** The log warns the operator, at most once an hour, when the service ignores a forwarded address. */
import { expect, test } from "bun:test"
import { addressList } from "../../src/base/address-list.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { HOUR } from "../../src/core/time.ts"
import { Arrival } from "../../src/http/arrival.ts"
import { IgnoredForwards } from "../../src/http/ignored-forwards.ts"
import { unlimited } from "../../src/http/rate-limit.ts"
import type { Shell } from "../../src/http/shell.ts"

const lines: string[] = []
const log = createLog("info", (text) => lines.push(text), realMachine.now)
let now = 0
const machine = { ...realMachine, monotonic: () => now }

function clientOf(peer: string, forwarded: string | null, trusted = "10.0.0.1"): string {
  const socket = { peerOf: () => peer, polls: { number: () => 0 } } as unknown as NonNullable<Shell["socket"]>
  const shell: Shell = {
    ...{ machine, log, limiter: unlimited, baseUrl: () => "http://svc.example", network: "eip155:8453", socket },
    ...{ trustedProxies: addressList(trusted), ignoredForwards: ignored },
  }
  const headers = forwarded === null ? undefined : { "x-forwarded-for": forwarded }
  const request = new Request("http://svc.example/x", headers && { headers })
  const operation = { authentication: "NONE", rateLimit: "READ" } as unknown as ConstructorParameters<typeof Arrival>[4]
  return new Arrival(shell, request, "/x", "req", operation).client
}
const ignored = new IgnoredForwards(log, machine)

test("a header from a trusted proxy, and a request without one, say nothing", () => {
  expect(clientOf("10.0.0.1", "192.0.2.7")).toBe("192.0.2.7")
  expect(clientOf("::ffff:10.0.0.1", "192.0.2.7")).toBe("192.0.2.7")
  expect(clientOf("192.0.2.9", null)).toBe("192.0.2.9")
  expect(lines).toEqual([])
})

test("a header from another address is ignored, and the log says so at most once an hour, without an address", () => {
  for (const peer of ["192.0.2.9", "192.0.2.10"]) expect(clientOf(peer, "192.0.2.7")).toBe(peer)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: "forwarded_address_ignored" }])
  now += HOUR
  clientOf("192.0.2.11", "192.0.2.7", "")
  expect(lines).toHaveLength(2)
  expect(lines.join("")).not.toMatch(/\d+\.\d+\.\d+\.\d+/)
})

test("a Unix socket without a forwarded address is logged at most once an hour, apart from the other warning", () => {
  lines.length = 0
  expect(clientOf("unix:", "192.0.2.7", "unix:")).toBe("192.0.2.7")
  expect(lines).toEqual([])
  for (const forwarded of [null, "", "junk"]) expect(clientOf("unix:", forwarded, "unix:")).toBe("unix:")
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: "forwarded_address_missing" }])
  now += HOUR
  clientOf("192.0.2.11", "192.0.2.7", "unix:")
  clientOf("unix:", null, "unix:")
  expect(lines.map((line) => JSON.parse(line).event)).toEqual([
    "forwarded_address_missing",
    "forwarded_address_ignored",
    "forwarded_address_missing",
  ])
})
