/** The two headers of a UK purchase on a real socket. The received bytes count, not the client's intention. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { closed } from "../../schemas/common.ts"
import { operation } from "../../schemas/operation.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { digestBytes } from "../../src/core/digest.ts"
import type { Listener } from "../../src/http/listen.ts"
import { requirePaidHeaders, requireSameKey } from "../../src/http/paid-headers.ts"
import { serve } from "../../src/http/serve.ts"
import { expectProblem, MARKER } from "../fixtures/problems.ts"
import { listening, rawExchange, testShell } from "../fixtures/shell.ts"

const purchase = operation({
  id: "buy",
  method: "POST",
  path: "/buy",
  summary: "",
  body: closed({ idempotency_key: Type.String({ minLength: 8, maxLength: 120 }), note: Type.Optional(Type.String()) }),
  responses: { 200: { description: "done" } },
  authentication: "X402",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  rateLimit: { group: "test", perMinute: 60 },
})
const { shell } = testShell()
let server: Listener & AsyncDisposable
beforeAll(() => {
  server = listening(shell, [
    serve(shell, purchase, (call) => {
      requirePaidHeaders(call)
      return { status: 200, body: "{}" }
    }),
  ])
})
afterAll(() => server.stop(0))

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

function buy(text: string, headers: Record<string, string>): Promise<Response> {
  const all = { "content-type": "application/json", ...headers }
  return fetch(`${server.origin}/buy`, { method: "POST", body: text, headers: all })
}

const KEY = 'order "7" \\ 2026'
/** Not canonical: spaces, another order of members, an unnecessary escape. */
const TEXT = `{ "note": "\\u0041",\n "idempotency_key": ${JSON.stringify(KEY)} }`
const DIGEST = `sha256:${sha256(TEXT)}`
const QUOTED = '"order \\"7\\" \\\\ 2026"'

test.each([
  ["bare", KEY, DIGEST],
  ["quoted", QUOTED, DIGEST],
  ["hex in capitals", KEY, `sha256:${sha256(TEXT).toUpperCase()}`],
])("the key %s and the digest of the sent bytes are accepted", async (_, key, digest) => {
  const answer = await buy(TEXT, { "idempotency-key": key, "x-cdo-request-body-digest": digest })
  expect(answer.status).toBe(200)
})

test("a key outside ASCII is read as UTF-8 bytes, as curl sends it, and as Latin-1, as fetch sends it", async () => {
  const key = "zahlung-übung-№7"
  const body = JSON.stringify({ idempotency_key: key })
  const head = (bytes: string) =>
    `POST /buy HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-CDO-Request-Body-Digest: sha256:${sha256(body)}\r\nIdempotency-Key: ${bytes}\r\n\r\n${body}`
  expect(await rawExchange(server.origin, head(key))).toStartWith("HTTP/1.1 200")
  expect(await rawExchange(server.origin, head(`"${key}"`))).toStartWith("HTTP/1.1 200")
  expect(await rawExchange(server.origin, head("zahlung-übung-7"))).toStartWith("HTTP/1.1 400")
  const latin = JSON.stringify({ idempotency_key: "zahlung-übung" })
  const headers = { "idempotency-key": "zahlung-übung", "x-cdo-request-body-digest": `sha256:${sha256(latin)}` }
  expect((await buy(latin, headers)).status).toBe(200)
})

test.each([
  ["missing", {}, "IDEMPOTENCY_KEY_MISSING"],
  ["empty", { "idempotency-key": "" }, "IDEMPOTENCY_KEY_MISSING"],
  ["another", { "idempotency-key": `${MARKER}-other` }, "IDEMPOTENCY_KEY_MISMATCH"],
  ["in other case", { "idempotency-key": KEY.toUpperCase() }, "IDEMPOTENCY_KEY_MISMATCH"],
  ["half quoted", { "idempotency-key": QUOTED.slice(0, -1) }, "IDEMPOTENCY_KEY_MISMATCH"],
  ["quoted without its escapes", { "idempotency-key": `"${KEY}"` }, "IDEMPOTENCY_KEY_MISMATCH"],
  ["sent twice", { "idempotency-key": `${KEY}, ${KEY}` }, "IDEMPOTENCY_KEY_MISMATCH"],
] satisfies [string, Record<string, string>, string][])("a key that is %s gets 400", async (_, headers, code) => {
  const answer = await buy(TEXT, { "x-cdo-request-body-digest": DIGEST, ...headers })
  const { errors } = await expectProblem(answer, 400, code)
  expect(errors).toEqual([
    { pointer: "header:Idempotency-Key", code, expected: expect.stringContaining("idempotency_key") },
  ])
})

test.each([
  ["missing", null, "BODY_DIGEST_MISSING"],
  ["empty", "", "BODY_DIGEST_MISSING"],
  ["no digest", MARKER, "BODY_DIGEST_MALFORMED"],
  ["without its prefix", sha256(TEXT), "BODY_DIGEST_MALFORMED"],
  ["of another algorithm", `sha-256=:${createHash("sha256").update(TEXT).digest("base64")}:`, "BODY_DIGEST_MALFORMED"],
  ["sent twice", `${DIGEST}, ${DIGEST}`, "BODY_DIGEST_MALFORMED"],
  ["of other bytes", `sha256:${sha256(`${TEXT} `)}`, "BODY_DIGEST_MISMATCH"],
  ["of the canonical form", digestBytes(canonicalize(JSON.parse(TEXT))), "BODY_DIGEST_MISMATCH"],
])("a digest that is %s gets 400", async (_, digest, code) => {
  const headers: Record<string, string> = digest === null ? {} : { "x-cdo-request-body-digest": digest }
  const { errors } = await expectProblem(await buy(TEXT, { "idempotency-key": KEY, ...headers }), 400, code)
  expect(errors).toEqual([
    { pointer: "header:X-CDO-Request-Body-Digest", code, expected: expect.stringContaining("sha256:") },
  ])
})

test("every key of printable characters is accepted bare and quoted, and the value read is exactly the key sent", () => {
  const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })
  // A header field neither begins nor ends with a space, so such a key is sent quoted.
  const key = printable.filter((text) => text.trim() === text && text.length > 0)
  fc.assert(
    fc.property(key, key, (own, other) => {
      const quoted = `"${own.replace(/(["\\])/g, "\\$1")}"`
      for (const value of [own, quoted]) {
        expect(() => requireSameKey(new Headers({ "idempotency-key": value }), own)).not.toThrow()
      }
      fc.pre(other !== own && other !== quoted)
      expect(() => requireSameKey(new Headers({ "idempotency-key": other }), own)).toThrow("IDEMPOTENCY_KEY_MISMATCH")
    }),
  )
})
