import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { operation } from "../../schemas/operation.ts"
import type { Problem } from "../../schemas/problem.ts"
import { fallback } from "../../src/http/fallback.ts"
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
const find = operation({ ...row, id: "find", method: "POST", path: "/things/search", cors: "NONE" })
const part = operation({ ...row, id: "part", method: "GET", path: "/things/{thingId}/parts/*", cors: "PUBLIC" })
const main = operation({ ...row, id: "main", method: "POST", path: "/things/{id}/parts/main", cors: "NONE" })
const one = operation({ ...row, id: "one", method: "GET", path: "/things/{thingId}", cors: "PUBLIC" })

const { shell, logged } = testShell()
let server: Listener
beforeAll(() => {
  server = listening(
    shell,
    [list, add, one, find, part, main].map((each) => serve(shell, each, () => ({ status: 200, body: "{}" }))),
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
    ["GET", "/things/search", 405, "POST, OPTIONS", null],
    ["HEAD", "/things/search", 405, "POST, OPTIONS", null],
    ["PUT", "/things/search", 405, "POST, OPTIONS", null],
    ["OPTIONS", "/things/search", 204, "POST, OPTIONS", null],
    ["GET", "/things/a/parts/main", 405, "POST, OPTIONS", null],
    ["POST", "/things/search/parts/other", 405, "GET, HEAD, OPTIONS", null],
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

describe("a 404 names the nearest route by its template", () => {
  const rows: readonly [method: string, path: string, nearest: string | null][] = [
    ["GET", "/thing", "GET /things"],
    ["POST", "/thing", "POST /things"],
    ["PUT", "/Thimgs/secret-value", "GET /things/{thingId}"],
    ["GET", "/v9/things", "GET /things"],
    ["GET", "/nothing", null],
    ["GET", `/things/${"secret-value/".repeat(20)}`, null],
    ["GET", `/thing/${"s".repeat(200)}`, null],
  ]
  test.each(rows)("%s %s", async (method, path, nearest) => {
    const answer = await fetch(server.origin + path, { method })
    const body = (await answer.json()) as Problem
    expect([answer.status, body.code]).toEqual([404, "NOT_FOUND"])
    expect(body.errors).toEqual(nearest === null ? [] : [{ pointer: "path", code: "NEAREST_ROUTE", expected: nearest }])
    expect(body.detail).toBe(
      nearest === null ? "No route has this path." : `No route has this path. The nearest is ${nearest}.`,
    )
    expect(JSON.stringify({ ...body, instance: "" })).not.toContain("secret")
  })

  test("whose rest is a parameter too", async () => {
    const reply = fallback(testShell().shell, () => [{ method: "GET", path: "/log/tile/*" }])
    const request = new Request("https://svc.example/log/tiel")
    const { errors } = (await reply({ code: "NOT_FOUND", error: null, request }).json()) as Problem
    expect(errors[0]?.expected).toBe("GET /log/tile/{rest}")
  })

  test("a Link header goes with each 404 if the server has links, and with no other reply", async () => {
    const { shell: linked } = testShell()
    const link = '</llms.txt>; rel="service-doc"'
    const reply = fallback(linked, () => [{ method: "GET", path: "/things" }], { link: () => link })
    const failed = (method: string, path: string) =>
      reply({ code: "NOT_FOUND", error: null, request: new Request(`https://svc.example${path}`, { method }) })
    expect(failed("GET", "/nothing").headers.get("link")).toBe(link)
    expect(failed("GET", "/thing").headers.get("link")).toBe(link)
    expect(failed("PUT", "/things").headers.get("link")).toBeNull()
    expect((await fetch(`${server.origin}/nothing`)).headers.get("link")).toBeNull()
  })
})
