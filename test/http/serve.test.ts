import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { closed } from "../../schemas/common.ts"
import { operation } from "../../schemas/operation.ts"
import { Problem } from "../../schemas/problem.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { realMachine } from "../../src/base/machine.ts"
import { digestBytes } from "../../src/core/digest.ts"
import type { Listener } from "../../src/http/listen.ts"
import { RateLimiter } from "../../src/http/rate-limit.ts"
import { BODY_BYTES_MAX, compile } from "../../src/http/read-body.ts"
import { serve } from "../../src/http/serve.ts"
import { UnstorableText } from "../../src/store/engine/storable.ts"
import { listening, rawExchange, testShell } from "../fixtures/shell.ts"
import { until } from "../fixtures/until.ts"

const common = {
  responses: { 200: { description: "done" } },
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  rateLimit: { group: "test", perMinute: 3 },
} as const
const Note = closed({
  text: Type.String({ maxLength: BODY_BYTES_MAX }),
  count: Type.Optional(Type.Integer()),
  nested: Type.Optional(Type.Unknown()),
})
const post = operation({
  ...common,
  id: "post_note",
  method: "POST",
  path: "/notes",
  summary: "",
  body: Note,
  cors: "PUBLIC",
})
const read = operation({
  ...common,
  id: "read_note",
  method: "GET",
  path: "/notes/{noteId}",
  summary: "",
  body: undefined,
  cors: "NONE",
  headers: { "x-coverage": "TEST" },
})
const broken = operation({ ...read, id: "broken", path: "/broken" })
const refusing = operation({ ...read, id: "refusing", path: "/refusing" })
const unstorable = operation({ ...read, id: "unstorable", path: "/unstorable" })

const { shell, logged } = testShell()
let calls = 0
let server: Listener & AsyncDisposable

beforeAll(() => {
  server = listening(shell, [
    serve(shell, post, ({ body, bodyDigest }) => {
      calls++
      return { status: 200, body: { digest: bodyDigest, text: body.text } }
    }),
    serve(shell, read, ({ params }) => ({ status: 200, body: `"${params["noteId"]}"` })),
    serve(shell, broken, () => {
      throw new TypeError("oops")
    }),
    serve(shell, unstorable, () => {
      throw new UnstorableText("supplierId")
    }),
    serve(shell, refusing, () => {
      throw new ServiceError("CHAIN_UNAVAILABLE", "d", { retryAfterSeconds: 9 })
    }),
  ])
})
afterAll(() => server.stop(0))

const json = { "content-type": "application/json" }
const deep = (levels: number) => `{"text":"","nested":${"[".repeat(levels)}${"]".repeat(levels)}}`
const sized = (bytes: number) => `{"text":"${"x".repeat(bytes - '{"text":""}'.length)}"}`
const isProblem = compile(Problem)

describe("an unreadable request never reaches the handler and always gets an error of the same form", () => {
  const rows: readonly [
    name: string,
    headers: Record<string, string>,
    body: BodyInit,
    status: number,
    code: string,
    reason?: string,
  ][] = [
    ["one byte over 64 KiB", json, sized(BODY_BYTES_MAX + 1), 413, "BODY_TOO_LARGE"],
    ["array 33 levels deep", json, deep(32), 400, "MALFORMED_JSON"],
    ["other media type", { "content-type": "text/plain" }, '{"text":"a"}', 415, "MEDIA_TYPE_UNSUPPORTED"],
    ["form body", { "content-type": "application/x-www-form-urlencoded" }, "text=a", 415, "MEDIA_TYPE_UNSUPPORTED"],
    ["gzip", { ...json, "content-encoding": "gzip" }, Bun.gzipSync('{"text":"a"}'), 415, "MEDIA_TYPE_UNSUPPORTED"],
    ["duplicate member", json, '{"text":"a","text":"b"}', 400, "MALFORMED_JSON"],
    ["duplicate member after unescaping", json, '{"text":"a","\\u0074ext":"b"}', 400, "MALFORMED_JSON"],
    ["byte order mark", json, '\ufeff{"text":"a"}', 400, "MALFORMED_JSON"],
    ["invalid UTF-8", json, Buffer.from('{"text":"\xff"}', "latin1"), 400, "MALFORMED_JSON"],
    ["no body", json, "", 400, "MALFORMED_JSON"],
    ["unknown member", json, '{"text":"a","extra":1}', 422, "SCHEMA_INVALID"],
    ["text where an integer belongs", json, '{"text":"a","count":"1"}', 422, "SCHEMA_INVALID"],
    ["missing member", json, "{}", 422, "SCHEMA_INVALID"],
    ["array instead of object", json, "[]", 422, "SCHEMA_INVALID"],
  ]
  test.each(rows)("%s", async (_name, headers, body, status, code) => {
    const before = calls
    const answer = await fetch(`${server.origin}/notes`, { method: "POST", headers, body })
    expect(answer.status).toBe(status)
    expect(answer.headers.get("content-type")).toBe("application/problem+json")
    const problem = (await answer.json()) as Problem
    expect(isProblem.Check(problem)).toBe(true)
    expect(problem).toMatchObject({ status, code, charged: false, instance: "/notes" })
    expect(answer.headers.get("x-request-id")).toBe(problem.request_id)
    expect(calls).toBe(before)
  })
})

test("exactly 64 KiB and exactly 32 levels are accepted", async () => {
  for (const body of [sized(BODY_BYTES_MAX), deep(31)]) {
    expect((await fetch(`${server.origin}/notes`, { method: "POST", headers: json, body })).status).toBe(200)
  }
})

test("a chunked body without a length has the same limit", async () => {
  const chunks = async function* () {
    for (let i = 0; i < 3; i++) yield Buffer.alloc(30_000, 32)
  }
  const answer = await fetch(`${server.origin}/notes`, { method: "POST", headers: json, body: chunks() as never })
  expect(answer.status).toBe(413)
})

test("a field error contains pointer and rule, never the value", async () => {
  const body = '{"text":5,"count":"SECRET"}'
  const answer = await fetch(`${server.origin}/notes`, { method: "POST", headers: json, body })
  const text = await answer.text()
  expect(JSON.parse(text).errors).toEqual([
    { pointer: "/text", code: "STRING", expected: "text of at most 65536 characters" },
    { pointer: "/count", code: "INTEGER", expected: "integer" },
  ])
  expect(text + JSON.stringify(logged)).not.toContain("SECRET")
})

test("the digest covers the received bytes, and a charset parameter of the media type is accepted", async () => {
  const body = '{ "text": "é" }'
  const headers = { "content-type": "application/json; charset=utf-8" }
  const answer = await fetch(`${server.origin}/notes`, { method: "POST", headers, body })
  expect(await answer.json()).toEqual({ digest: digestBytes(body), text: "é" })
})

test("any origin may read a public operation, and no other origin may read a private one", async () => {
  const open = await fetch(`${server.origin}/notes`, { method: "POST", headers: json, body: '{"text":"a"}' })
  expect(open.headers.get("access-control-allow-origin")).toBe("*")
  expect(open.headers.get("access-control-allow-credentials")).toBeNull()
  const shut = await fetch(`${server.origin}/notes/a`)
  expect(shut.headers.get("access-control-allow-origin")).toBeNull()
  expect(shut.headers.get("x-coverage")).toBe("TEST")
})

test("a path parameter that cannot be decoded gets 404", async () => {
  expect(await rawExchange(server.origin, "GET /notes/%zz HTTP/1.1\r\nHost: h\r\n\r\n")).toStartWith("HTTP/1.1 404")
})

test("a bug gives 500 with a request id, and its stack appears only in the log", async () => {
  const answer = await fetch(`${server.origin}/broken`)
  const text = await answer.text()
  expect(answer.status).toBe(500)
  expect(text).not.toContain("oops")
  const bug = logged.find(({ event, request_id }) => event === "bug" && request_id === JSON.parse(text).request_id)
  expect(bug).toMatchObject({ level: "error", operation: "broken", message: "oops" })
})

test("a text that the store does not take is the caller's fault, and no bug", async () => {
  const answer = await fetch(`${server.origin}/unstorable`)
  const problem = (await answer.json()) as Problem
  expect(problem).toMatchObject({ status: 422, code: "SCHEMA_INVALID", charged: false })
  expect(problem.detail).toContain("U+0000")
  expect(logged.some(({ event, operation }) => event === "bug" && operation === "unstorable")).toBe(false)
})

test("a refusal that states a retry time sends Retry-After", async () => {
  const answer = await fetch(`${server.origin}/refusing`)
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "9"])
})

test("a valid traceparent is returned with its trace id, and an invalid one is replaced", async () => {
  const trace = "0af7651916cd43dd8448eb211c80319c"
  const requests = async (traceparent: string) =>
    ((await (await fetch(`${server.origin}/nowhere`, { headers: { traceparent } })).json()) as Problem).trace_id
  expect(await requests(`00-${trace}-b7ad6b7169203331-01`)).toBe(trace)
  for (const bad of [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, "junk"]) expect(await requests(bad)).not.toBe(trace)
})

test("a client that disconnects while sending is not logged as a bug", async () => {
  const before = logged.length
  const reading = spyOn(server.socket.bodies, "arrive")
  const { hostname, port } = new URL(server.origin)
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } })
  socket.write("POST /notes HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
  socket.flush()
  await until("the server reads the body", () => reading.mock.calls.length > 0)
  reading.mockRestore()
  socket.terminate()
  await until("the server logs the request", () => logged.length > before)
  expect(logged.slice(before).map(({ event, code }) => [event, code])).toEqual([["request", "REQUEST_INCOMPLETE"]])
})

test("a body is handled when the poll that brought it has ended", async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const ending = spyOn(server.socket.polls, "end").mockReturnValue(end)
  const leaving = spyOn(server.socket.bodies, "leave")
  const before = calls
  const answer = fetch(`${server.origin}/notes`, { method: "POST", headers: json, body: '{"text":"a"}' })
  await until("the body arrived", () => leaving.mock.calls.length > 0)
  await Bun.sleep(5)
  expect(calls).toBe(before)
  ending.mockRestore()
  leaving.mockRestore()
  resolve()
  expect((await answer).status).toBe(200)
  expect(calls).toBe(before + 1)
})

test("a request over the limit of a minute gets 429 with the time to wait, and another address is not affected", async () => {
  const limited = testShell({ limiter: new RateLimiter(realMachine), trustedProxies: new Set(["127.0.0.1"]) })
  await using small = listening(limited.shell, [serve(limited.shell, read, () => ({ status: 200, body: "{}" }))])
  const ask = (from: string) => fetch(`${small.origin}/notes/a`, { headers: { "x-forwarded-for": from } })
  for (let i = 0; i < 3; i++) expect((await ask("192.0.2.1")).status).toBe(200)
  const refused = await ask("192.0.2.1")
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(refused.headers.get("ratelimit-policy")).toBe('"test";q=3;w=60')
  expect(refused.headers.get("ratelimit")).toMatch(/^"test";r=0;t=([1-9]|[1-5]\d|60)$/)
  expect((await ask("192.0.2.2")).status).toBe(200)
})

test("a POST shows the rest of its budget, answered or refused; a GET that caches may store does not", async () => {
  const limited = testShell({ limiter: new RateLimiter(realMachine) })
  await using small = listening(limited.shell, [
    serve(limited.shell, post, () => ({ status: 200, body: "{}" })),
    serve(limited.shell, { ...read, rateLimit: { group: "reads", perMinute: 3 } }, () => ({ status: 200, body: "{}" })),
  ])
  const told: (string | null)[][] = []
  for (const body of ['{"text":"a"}', "{"]) {
    const { headers } = await fetch(`${small.origin}/notes`, { method: "POST", headers: json, body })
    told.push([headers.get("ratelimit-policy"), headers.get("ratelimit")?.replace(/t=\d+$/, "t=N") ?? null])
  }
  const { headers } = await fetch(`${small.origin}/notes/a`)
  told.push([headers.get("ratelimit-policy"), headers.get("ratelimit")])
  expect(told).toEqual([
    ['"test";q=3;w=60', '"test";r=2;t=N'],
    ['"test";q=3;w=60', '"test";r=1;t=N'],
    [null, null],
  ])
})
