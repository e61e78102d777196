import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { operation } from "../../schemas/operation.ts"
import type { Listener } from "../../src/http/listen.ts"
import { serve } from "../../src/http/serve.ts"
import { listening, rawExchange, testShell } from "../fixtures/shell.ts"

const row = {
  body: undefined,
  summary: "",
  responses: {},
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  rateLimit: { group: "test", perMinute: 60 },
} as const
const list = operation({ ...row, id: "list", method: "GET", path: "/things", cors: "PUBLIC" })
const add = operation({ ...row, id: "add", method: "POST", path: "/things", cors: "NONE" })
const one = operation({ ...row, id: "one", method: "GET", path: "/things/{thingId}", cors: "PUBLIC" })

const { shell, logged } = testShell()
let server: Listener
beforeAll(() => {
  server = listening(
    shell,
    [list, add, one].map((each) => serve(shell, each, () => ({ status: 200, body: "{}" }))),
  )
})
afterAll(() => server.stop(0))

describe("a request that no route matches gets its response from the route table", () => {
  const rows: readonly [method: string, path: string, status: number, allow: string | null, origin: string | null][] = [
    ["GET", "/nothing", 404, null, null],
    ["GET", "/things/", 404, null, null],
    ["GET", "/things/a/b", 404, null, null],
    ["OPTIONS", "/nothing", 404, null, null],
    ["PUT", "/things", 405, "GET, POST, HEAD, OPTIONS", null],
    ["DELETE", "/things/a", 405, "GET, HEAD, OPTIONS", null],
    ["POST", "/things/a", 405, "GET, HEAD, OPTIONS", null],
    ["OPTIONS", "/things/a", 204, "GET, HEAD, OPTIONS", "*"],
    ["OPTIONS", "/things", 204, "GET, POST, HEAD, OPTIONS", null],
  ]
  test.each(rows)("%s %s", async (method, path, status, allow, origin) => {
    const answer = await fetch(server.origin + path, { method })
    expect(answer.status).toBe(status)
    expect(answer.headers.get("allow")).toBe(allow)
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin)
    if (status !== 204) expect(answer.headers.get("content-type")).toBe("application/problem+json")
  })
})

test("a preflight of a public path lists its methods and allowed headers, never credentials", async () => {
  const { headers } = await fetch(`${server.origin}/things/a`, { method: "OPTIONS" })
  expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS")
  expect(headers.get("access-control-allow-headers")).toContain("If-None-Match")
  expect(headers.get("access-control-allow-credentials")).toBeNull()
})

test("HEAD gets the response of GET without the body", async () => {
  const answer = await fetch(`${server.origin}/things/a`, { method: "HEAD" })
  expect([answer.status, await answer.text()]).toEqual([200, ""])
})

test("a refused path is text from the caller and is not logged", async () => {
  await fetch(`${server.origin}/SECRET-PATH`)
  expect(JSON.stringify(logged)).not.toContain("SECRET-PATH")
})

describe("a request that the HTTP parser rejects never reaches the service code", () => {
  const get = "GET /things HTTP/1.1\r\nHost: h\r\n"
  const rows: readonly [name: string, sent: string, status: string][] = [
    ["8 KB of header is fine", `${get}X-A: ${"a".repeat(8000)}\r\n\r\n`, "200"],
    ["20 KB of header", `${get}X-A: ${"a".repeat(20_000)}\r\n\r\n`, "431"],
    ["250 headers", `${get}${Array.from({ length: 250 }, (_, i) => `X-${i}: a\r\n`).join("")}\r\n`, "431"],
    ["20 KB of path", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: h\r\n\r\n`, "431"],
    ["no Host", "GET /things HTTP/1.1\r\n\r\n", "400"],
    ["two lengths", "POST /things HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "400"],
    [
      "length and chunks",
      "POST /things HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "400",
    ],
  ]
  test.each(rows)("%s", async (_name, sent, status) => {
    expect(await rawExchange(server.origin, sent)).toStartWith(`HTTP/1.1 ${status}`)
  })
})
