import { expect, test } from "bun:test"
import { ServiceError } from "../../../src/base/errors.ts"
import { callerGuard } from "../../../src/endpoints/mcp/caller.ts"

const remote = callerGuard({ baseUrl: "https://svc.example", isLocal: false })
const proxied = callerGuard({ baseUrl: "https://svc.example", isLocal: true })

const rows: readonly [name: string, guard: typeof remote, headers: Record<string, string>, code: string | null][] = [
  ["no headers", remote, {}, null],
  ["its own origin", remote, { origin: "https://svc.example" }, null],
  ["its own host under http", remote, { origin: "http://svc.example" }, "ORIGIN_REFUSED"],
  ["an origin that begins like its own", remote, { origin: "https://svc.example.evil.example" }, "ORIGIN_REFUSED"],
  ["a page of the visitor's machine", remote, { origin: "http://localhost:3000" }, "ORIGIN_REFUSED"],
  ["any host, because the proxy in front decides", remote, { host: "other.example" }, null],
  ["a page of this machine", proxied, { origin: "http://localhost:3000" }, null],
  ["a name that begins like localhost", proxied, { origin: "http://localhost.evil.example" }, "ORIGIN_REFUSED"],
  ["a scheme that is not http", proxied, { origin: "ftp://localhost" }, "ORIGIN_REFUSED"],
  ["the public host", proxied, { host: "svc.example" }, null],
  ["a loopback host with a port", proxied, { host: "127.0.0.1:8402" }, null],
  ["a loopback host of IPv6", proxied, { host: "[::1]:8402" }, null],
  ["a foreign host", proxied, { host: "evil.example" }, "HOST_REFUSED"],
  ["an unreadable host", proxied, { host: "a b" }, "HOST_REFUSED"],
]
test.each(rows)("%s", (_name, guard, headers, code) => {
  let found: string | null = null
  try {
    guard(new Headers(headers))
  } catch (error) {
    found = error instanceof ServiceError ? error.code : "another error"
  }
  expect(found).toBe(code)
})
