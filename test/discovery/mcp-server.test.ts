import { expect, test } from "bun:test"
import { mcpServerInfo } from "../../src/discovery/mcp-server.ts"

test.each([
  ["https://svc.example", "example.svc/business-authorization"],
  ["https://a.b.example:8443", "example.b.a/business-authorization"],
  ["http://localhost:8402", "localhost/business-authorization"],
  ["http://127.0.0.1:8402", "127.0.0.1/business-authorization"],
  ["http://[::1]:8402", "---1-/business-authorization"],
])("%s is %s, a name that the server card accepts", (baseUrl, name) => {
  const info = mcpServerInfo(baseUrl, "1.2.3")
  expect([info.name, info.version]).toEqual([name, "1.2.3"])
  expect(info.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
})
