/** A header that decides something and comes twice: the socket joins the values, and no value is chosen, dropped or made of both. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { agentA2a } from "../../schemas/discovery/a2a.ts"
import { agentMcp } from "../../schemas/discovery/mcp.ts"
import { digestOfToken, hasToken } from "../../src/admin/admin-token.ts"
import { isSentTwice } from "../../src/http/sent-twice.ts"
import { readPaymentHeader } from "../../src/payments/payment-header.ts"
import { codeOf, sourceFiles } from "../fixtures/imports.ts"
import { WITH_BODY } from "../fixtures/operations.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { rawExchange } from "../fixtures/shell.ts"

let service: ServedService
beforeAll(async () => {
  service = await servedService({ rate_limits: "off", agent_mode_planning: "on" })
})
afterAll(() => service[Symbol.asyncDispose]())

/** Sends these header lines with the body, and returns the status and the body of the answer. */
async function post(path: string, lines: readonly string[], body = "{}") {
  const { host } = new URL(service.origin)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Content-Length: ${body.length}`,
    "Connection: close",
    ...lines,
  ]
  const answer = await rawExchange(service.origin, `${head.join("\r\n")}\r\n\r\n${body}`, "\u0000")
  const [fields = "", ...text] = answer.split("\r\n\r\n")
  return { status: Number(fields.slice(9, 12)), text: text.join("\r\n\r\n") }
}

const JSON_LINE = "Content-Type: application/json"
const PATHS = [...new Set(WITH_BODY.map(({ path }) => path.replace(/\{[A-Za-z]+\}/g, "unknown")))]

describe("Content-Type", () => {
  test.each(PATHS)("twice is no JSON to %s, whichever comes first", async (path) => {
    for (const [first, second] of [
      ["application/json", "application/json"],
      ["application/json; charset=utf-8", "text/plain"],
      ["text/plain", "application/json"],
    ]) {
      const { status, text } = await post(path, [`Content-Type: ${first}`, `content-type: ${second}`])
      expect([path, first, status]).toEqual([path, first, 415])
      expect(text).toContain("Send Content-Type once")
    }
    // A comma inside quotes is of one value.
    expect((await post(path, [`${JSON_LINE}; note="a, b"`])).status).not.toBe(415)
  })
})

test("a payment twice is refused by name, also the same one, and an empty second one", () => {
  const payment = Buffer.from('{"x402Version":2}').toString("base64")
  for (const second of [payment, ""]) {
    const headers = new Headers([
      ["Payment-Signature", payment],
      ["PAYMENT-SIGNATURE", second],
    ])
    expect(readPaymentHeader(headers)).toBe("SENT_TWICE")
  }
  expect(readPaymentHeader(new Headers({ "payment-signature": payment }))).toBe("NOT_A_PAYMENT_PAYLOAD")
})

test("the token of the admin listener twice opens nothing", () => {
  const digest = digestOfToken("right")
  const withToken = (values: readonly string[]) =>
    hasToken(
      new Request("http://localhost/metrics", { headers: values.map((value) => ["authorization", value]) as [] }),
      digest,
    )
  expect(withToken(["Bearer right"])).toBe(true)
  expect([withToken(["Bearer right", "Bearer right"]), withToken(["Bearer right", "Bearer wrong"])]).toEqual([
    false,
    false,
  ])
  expect([withToken(["Bearer wrong", "Bearer right"]), withToken(["", "Bearer right"])]).toEqual([false, false])
})

describe("the endpoints for agents", () => {
  const MESSAGE = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  test("the revision of MCP twice is refused by name", async () => {
    const revision = "MCP-Protocol-Version: 2025-06-18"
    const accept = "Accept: application/json, text/event-stream"
    expect((await post(agentMcp.path, [JSON_LINE, accept, revision], MESSAGE)).status).toBe(200)
    const { status, text } = await post(agentMcp.path, [JSON_LINE, accept, revision, revision], MESSAGE)
    expect([status, JSON.parse(text).error.message]).toEqual([
      400,
      "Header mismatch: MCP-Protocol-Version was sent twice",
    ])
  })

  test("the origin twice is the origin of another site", async () => {
    const origin = `Origin: ${service.origin}`
    expect((await post(agentMcp.path, [JSON_LINE, origin], MESSAGE)).status).toBe(200)
    const { status, text } = await post(agentMcp.path, [JSON_LINE, origin, origin], MESSAGE)
    expect([status, text.includes("Origin")]).toEqual([403, true])
  })

  test("the version of A2A twice is another version", async () => {
    const version = "A2A-Version: 1.0"
    const { text } = await post(
      agentA2a.path,
      [JSON_LINE, version, version],
      '{"jsonrpc":"2.0","id":1,"method":"GetTask"}',
    )
    expect(JSON.parse(text).error.data).toEqual([
      expect.objectContaining({ metadata: expect.objectContaining({ header: "A2A-Version" }) }),
    ])
  })
})

test.each([
  ["a, b", true],
  ["a,", true],
  ['"a, b"', false],
  ['"a", "b"', true],
  ['"a\\", b"', false],
  ["a", false],
])("%s is recognised as sent twice: %p", (value, expected) => {
  expect(isSentTwice(value)).toBe(expected)
})

/** Every header that the server reads, and what becomes of a second one. */
const READ: Readonly<Record<string, string>> = {
  "payment-signature": "above",
  "content-type": "above",
  authorization: "above",
  "mcp-protocol-version": "above",
  origin: "above",
  "a2a-version": "above",
  host: "test/http/listen.test.ts",
  "idempotency-key": "test/http/paid-headers.test.ts",
  "x-cdo-request-body-digest": "test/http/paid-headers.test.ts",
  "svc-agent-id": "test/http/agent-signature.test.ts",
  "content-digest": "test/http/agent-signature.test.ts",
  "signature-input": "test/http/agent-signature.test.ts",
  signature: "test/http/agent-signature.test.ts",
  "mcp-method": "compared whole with the body, and the refusal names it",
  "mcp-name": "compared whole with the body, and the refusal names it",
  "content-length": "two different ones get 400 from Bun, two equal ones are one (RFC 9110, 8.6)",
  "x-payment": "only its presence counts, and it never pays",
  accept: "a list (RFC 9110, 12.5.1)",
  "accept-encoding": "a list (RFC 9110, 12.5.3)",
  "content-encoding": "a list (RFC 9110, 8.4), of which no member but identity is taken",
  "if-none-match": "a list (RFC 9110, 13.1.2)",
  "x-forwarded-for": "a list, read from its end",
  traceparent: "two are none (W3C Trace Context, 3.2), and a new trace begins",
}
const SERVER = [
  "src/http/",
  "src/endpoints/mcp/",
  "src/endpoints/a2a/",
  "src/admin/",
  "src/pages/",
  "src/products/",
  "src/delivery/",
  "src/payments/",
]
/** Names that the code keeps in constants and lists. */
const NAMED = {
  KEY_HEADER: "idempotency-key",
  DIGEST_HEADER: "x-cdo-request-body-digest",
  MCP_VERSION_HEADER: "mcp-protocol-version",
  MCP_METHOD_HEADER: "mcp-method",
  MCP_NAME_HEADER: "mcp-name",
} as const
const IN_LISTS = ["svc-agent-id", "content-digest", "signature-input", "signature"]

test("each header that the server reads has its row", () => {
  const found = new Set(IN_LISTS)
  for (const path of sourceFiles("src").filter((file) => SERVER.some((folder) => file.startsWith(folder)))) {
    for (const [, name = ""] of codeOf(path).matchAll(/\b(?:headers|request|sent)\.(?:get|has)\(([^)]+)\)/g)) {
      const literal = /^"([a-z0-9-]+)"$/.exec(name)?.[1]
      const known = literal ?? NAMED[name as keyof typeof NAMED]
      if (known) found.add(known)
    }
  }
  // Of responses that the program itself makes or receives.
  for (const name of ["ratelimit", "retry-after", "transfer-encoding"]) found.delete(name)
  expect([...found].filter((name) => !(name in READ))).toEqual([])
  expect(
    Object.keys(READ)
      .filter((name) => !found.has(name))
      .toSorted(),
  ).toEqual([])
})

test("only the MCP endpoint reads a query parameter, and it takes the sets of each one", () => {
  const reading = sourceFiles("src")
    .filter((path) => SERVER.some((folder) => path.startsWith(folder)))
    .filter((path) => /searchParams|URLSearchParams|context\.query|\.query\[/.test(codeOf(path)))
  expect(reading).toEqual(["src/endpoints/mcp/tool-sets.ts"])
})
