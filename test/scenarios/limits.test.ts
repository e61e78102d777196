/** Every input has a limit. A caller over a limit gets an error of the usual form, uncharged, without the caller's own text. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { join } from "node:path"
import * as identities from "../../schemas/agent-id/operations.ts"
import * as tokens from "../../schemas/authorization-token.ts"
import type { Operation } from "../../schemas/operation.ts"
import * as onboarding from "../../schemas/us/buyer-onboarding.ts"
import * as decisions from "../../schemas/us/operations.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { RECEIVED_BYTES_MAX } from "../../src/http/listen.ts"
import { BODY_BYTES_MAX } from "../../src/http/read-body.ts"
import { initialised, type Running, serve } from "../fixtures/binary.ts"
import { signedRequest } from "../fixtures/decision.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { edits } from "../fixtures/json-edits.ts"
import { expectProblem, MARKER } from "../fixtures/problems.ts"

const POST_ROUTES = Object.values<unknown>({ ...identities, ...onboarding, ...decisions, ...tokens }).filter(
  (value): value is Operation =>
    typeof value === "object" && value !== null && (value as Operation).method === "POST" && "path" in value,
)

const folder = freshDirectory()
const data = join(folder.path, "data")
let server: Running
beforeAll(async () => {
  await initialised(folder.path)
  server = await serve(data, ["--rate-limits", "off"])
})
afterAll(async () => {
  await server.kill()
  folder[Symbol.dispose]()
})

type Body = NonNullable<RequestInit["body"]>

const send = (path: string, body: Body, headers: Record<string, string> = {}) =>
  fetch(server.origin + path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })

const jsonOf = (bytes: number) => JSON.stringify(MARKER.padEnd(bytes - 2, "x"))
const nested = (depth: number) => `${"[".repeat(depth)}"${MARKER}"${"]".repeat(depth)}`

test("the operation table contains the routes that take a body", () => {
  expect(POST_ROUTES.length).toBe(15)
})

describe.each(POST_ROUTES)("POST $path", (operation) => {
  const path = operation.path.replace(/\{[A-Za-z]+\}/g, "unknown")
  const offSchema = operation.schemaFaultStatus ?? 422

  test.each([
    ["one byte over 64 KiB", jsonOf(BODY_BYTES_MAX + 1)],
    [
      "one byte over 64 KiB without a length given",
      () => new Blob([jsonOf(BODY_BYTES_MAX + 1)]).stream() as ReadableStream<Uint8Array>,
    ],
  ] satisfies [string, string | (() => Body)][])("%s gets 413", async (_, body) => {
    await expectProblem(await send(path, typeof body === "string" ? body : body()), 413, "BODY_TOO_LARGE")
  })

  test("64 KiB are accepted", async () => {
    await expectProblem(await send(path, jsonOf(BODY_BYTES_MAX)), offSchema, "SCHEMA_INVALID")
  })

  test.each([
    ["nothing", ""],
    ["33 levels of nesting", nested(33)],
    ["one member twice", `{"a":"${MARKER}","a":"${MARKER}"}`],
    ["__proto__", `{"__proto__":{"a":"${MARKER}"}}`],
    ["half a surrogate pair", `{"a":"${MARKER}\\ud800"}`],
    ["a number no double holds", `{"a":"${MARKER}","b":9007199254740993}`],
    ["text after the value", `{} ${MARKER}`],
    ["a byte order mark", `\ufeff{"a":"${MARKER}"}`],
    ["bytes that are not UTF-8", new Uint8Array([...new TextEncoder().encode(`{"a":"${MARKER}`), 0xff, 0x22, 0x7d])],
  ] satisfies [string, Body][])("%s gets 400", async (_, body) => {
    await expectProblem(await send(path, body), 400, "MALFORMED_JSON")
  })

  test.each([
    ["32 levels of nesting", nested(32)],
    ["an unknown member", JSON.stringify({ unknown_member: MARKER })],
    ["a text where an object belongs", JSON.stringify(MARKER)],
    ["null", "null"],
  ])("%s is readable but fails the closed schema", async (_, body) => {
    const { errors } = await expectProblem(await send(path, body), offSchema, "SCHEMA_INVALID")
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.length).toBeLessThanOrEqual(16)
  })

  test.each([
    ["a compressed body", Bun.gzipSync(`{"a":"${MARKER}"}`), { "content-encoding": "gzip" }],
    ["a form", new URLSearchParams({ a: MARKER }), { "content-type": "application/x-www-form-urlencoded" }],
    ["plain text", `{"a":"${MARKER}"}`, { "content-type": "text/plain" }],
  ] satisfies [string, Body, Record<string, string>][])("%s gets 415", async (_, body, headers) => {
    await expectProblem(await send(path, body, headers), 415, "MEDIA_TYPE_UNSUPPORTED")
  })

  test("another method gets 405 with Allow, OPTIONS gets 204 with the same, and no other origin is allowed", async () => {
    for (const method of ["PUT", "DELETE", "PATCH", "PROPFIND"]) {
      const answer = await fetch(server.origin + path, { method, headers: { origin: "https://other.example" } })
      expect(answer.headers.get("allow")).toContain("POST")
      await expectProblem(answer, 405, "METHOD_NOT_ALLOWED")
    }
    const headers = { origin: "https://other.example", "access-control-request-method": "POST" }
    const options = await fetch(server.origin + path, { method: "OPTIONS", headers })
    expect([options.status, await options.text()]).toEqual([204, ""])
    expect(options.headers.get("allow")).toContain("POST")
    expect(options.headers.has("access-control-allow-origin")).toBe(false)
  })
})

test("whatever single member of a complete decision request is wrong, the error repeats no value of it", async () => {
  const request = signedRequest({ at: Date.now() })
  const marked = edits(JSON.parse(JSON.stringify(request))).map(({ value }) =>
    JSON.stringify(value).replaceAll("Calibration instruments, November", MARKER),
  )
  expect(marked.length).toBeGreaterThan(150)
  for (const body of marked) {
    const answer = await send(PAYMENT_DECISION_PATH, body)
    const { code } = (await answer.clone().json()) as { code: string }
    await expectProblem(answer, answer.status, code)
    expect([403, 422]).toContain(answer.status)
  }
})

test("recovery rejects a payment header before it reads the body", async () => {
  const recover = `${PAYMENT_DECISION_PATH}/recover`
  for (const header of ["payment-signature", "x-payment"]) {
    await expectProblem(await send(recover, MARKER, { [header]: MARKER }), 400, "PAYMENT_HEADER_FORBIDDEN")
  }
})

test("an unknown path and an undecodable path get 404 in the usual form", async () => {
  for (const path of ["/nowhere", "/v1", "/v1/agent-identities/%zz/status", "/livez/"]) {
    await expectProblem(await fetch(server.origin + path), 404, "NOT_FOUND")
  }
  await expectProblem(await fetch(`${server.origin}/nowhere?q=${MARKER}`), 404, "NOT_FOUND")
})

test("HEAD gets the status and headers of GET without a body", async () => {
  for (const path of ["/livez", "/readyz", "/.well-known/jwks.json"]) {
    const [get, head] = [await fetch(server.origin + path), await fetch(server.origin + path, { method: "HEAD" })]
    expect([head.status, await head.text()]).toEqual([get.status, ""])
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"))
  }
  const head = await fetch(server.origin + PAYMENT_DECISION_PATH, { method: "HEAD" })
  expect([head.status, await head.text()]).toEqual([405, ""])
})

const ONCE_MS = 3_000

/** The response to exactly these bytes: its head and its body. */
function exchange(bytes: string): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.origin)
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let text = ""
    socket.setTimeout(ONCE_MS, () => socket.destroy(new Error(`no end of the answer: ${text}`)))
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
    })
    socket.on("end", () => socket.end())
    socket.on("close", () => {
      const [head = "", body = ""] = text.split("\r\n\r\n")
      resolve({ head, body })
    })
    socket.on("error", reject)
  })
}

const CLOSE = "connection: close\r\n"

describe("Bun itself responds without a body, before any service code runs, to", () => {
  test.each([
    ["a body announced over 1 MiB", `content-length: ${RECEIVED_BYTES_MAX + 1}\r\n`, "413 Request Entity Too Large"],
    ["headers over 16 KiB", `x-long: ${"a".repeat(16 * 1024)}\r\n`, "431 Request Header Fields Too Large"],
    ["two contradicting lengths", "content-length: 5\r\ntransfer-encoding: chunked\r\n", "400 Bad Request"],
    ["a negative length", "content-length: -1\r\n", "400 Bad Request"],
  ])("%s", async (_, header, status) => {
    const { head, body } = await exchange(
      `POST ${PAYMENT_DECISION_PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${header}\r\n`,
    )
    expect([head.split("\r\n")[0], body]).toEqual([`HTTP/1.1 ${status}`, ""])
  })

  test("1 MiB still gets the service's own error, and one byte more does not", async () => {
    await expectProblem(await send(PAYMENT_DECISION_PATH, "x".repeat(RECEIVED_BYTES_MAX)), 413, "BODY_TOO_LARGE")
    const over = await send(PAYMENT_DECISION_PATH, "x".repeat(RECEIVED_BYTES_MAX + 1))
    expect([over.status, await over.text()]).toEqual([413, ""])
  })
})

test("headers just under the limit are accepted", async () => {
  expect((await fetch(`${server.origin}/livez`, { headers: { "x-long": "a".repeat(15 * 1024) } })).status).toBe(200)
})

test.each(["", "a b", "]]", "a<b", "[::1", "a/b?", "x:99999999"])(
  "an invalid Host header (%s) is the sender's fault and is not logged as a bug",
  async (host) => {
    const { head, body } = await exchange(`GET /livez HTTP/1.1\r\nhost: ${host}\r\n${CLOSE}\r\n`)
    expect(head.split("\r\n")[0]).toBe("HTTP/1.1 400 Bad Request")
    expect(JSON.parse(body)).toMatchObject({ code: "MALFORMED_HEADER", charged: false, instance: "/" })
    expect(server.err()).not.toContain('"level":"error"')
  },
)

test("a request over the limit of a minute gets 429 with the time to wait, and other groups still get responses", async () => {
  await using limited = await serve(data)
  const eligibility = () =>
    fetch(`${limited.origin}${PAYMENT_DECISION_PATH}/eligibility`, { method: "POST", body: MARKER })
  const statuses = []
  for (let call = 0; call < 30; call++) statuses.push((await eligibility()).status)
  expect(new Set(statuses)).toEqual(new Set([415]))
  const refused = await eligibility()
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60)
  await expectProblem(refused, 429, "RATE_LIMITED")
  expect((await fetch(`${limited.origin}/.well-known/jwks.json`)).status).toBe(200)
})

test("after all these requests the server is ready, and its log contains no error and none of the values", async () => {
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200)
  expect(server.err()).not.toContain(MARKER)
  expect(server.err()).not.toContain('"level":"error"')
})
