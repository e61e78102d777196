import { expect, test } from "bun:test"
import { operation } from "../../schemas/operation.ts"
import { ResponseWriter } from "../../src/http/response-writer.ts"

const read = operation({
  id: "read",
  method: "GET",
  path: "/",
  summary: "",
  body: undefined,
  responses: {},
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  cors: "PUBLIC",
  rateLimit: { group: "test", perMinute: 1 },
  headers: { "x-coverage": "TEST" },
})
const writer = new ResponseWriter(read)
const KEPT = Object.freeze({ "cache-control": "public, max-age=30", "content-type": "application/jwk-set+json" })

test("a response has the headers of its operation and its own headers", async () => {
  const answer = writer.write({ status: 201, body: { b: 1, a: 2 }, headers: { link: "</x>" } }, "req_1")
  expect([answer.status, await answer.text()]).toEqual([201, '{"a":2,"b":1}'])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-coverage": "TEST",
    "x-request-id": "req_1",
    "access-control-allow-origin": "*",
    link: "</x>",
  })
})

test("responses that share cached headers share nothing else", () => {
  const first = writer.write({ status: 200, body: "{}", headers: KEPT }, "req_1")
  first.headers.set("x-added", "1")
  const none = writer.write({ status: 304, body: null, headers: KEPT }, "req_2")
  const last = writer.write({ status: 200, body: "{}", headers: KEPT }, "req_3")
  const seen = [first, none, last].map(({ headers }) => [
    headers.get("x-request-id"),
    headers.get("content-type"),
    headers.get("x-added"),
    headers.get("cache-control"),
  ])
  const [type, cache] = [KEPT["content-type"], KEPT["cache-control"]]
  expect(seen).toEqual([
    ["req_1", type, "1", cache],
    ["req_2", null, null, cache],
    ["req_3", type, null, cache],
  ])
})

test("headers that may change are read again for each response", () => {
  const headers: Record<string, string> = { etag: '"1"' }
  const etag = () => writer.write({ status: 200, body: "{}", headers }, "req_1").headers.get("etag")
  expect(etag()).toBe('"1"')
  headers["etag"] = '"2"'
  expect(etag()).toBe('"2"')
})

test("the body is sent byte for byte unchanged", async () => {
  const bytes = new Uint8Array([0xff, 0, 0x7b])
  const answer = writer.write({ status: 200, body: bytes }, "req_1")
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes)
})
