/** Each paid route publishes its body's JSON Schema and a complete synthetic body, which the tests sell. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { TObject } from "@sinclair/typebox"
import Ajv from "ajv/dist/2020"
import addFormats from "ajv-formats"
import { ExampleAnswer, InputSchemaAnswer } from "../../schemas/request-documents.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { VendorChangeRequest } from "../../schemas/us/vendor-change.ts"
import { digestFaults, requestSigningBytes } from "../../src/checks/policy/digests.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { digestOf } from "../../src/core/digest.ts"
import { verifySignature } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import type { Listener } from "../../src/http/listen.ts"
import { compile } from "../../src/http/read-body.ts"
import { exampleAgent } from "../../src/products/us/example-signers.ts"
import { requestDocumentRoutes } from "../../src/server/request-documents.ts"
import { OPERATIONS } from "../fixtures/operations.ts"
import { PRODUCT_ROWS } from "../fixtures/products.ts"
import { listening, testShell } from "../fixtures/shell.ts"

const { shell } = testShell()
let server: Listener
beforeAll(() => {
  server = listening(shell, [requestDocumentRoutes(shell)])
})
afterAll(() => server.stop(0))

/** Members that are new in every purchase: the key, times, signatures and references to other purchases. */
const NEW_IN_EVERY_PURCHASE: Readonly<Record<string, readonly string[]>> = {
  "/v1/us/decision-gates/release-payment-to-supplier": [
    "decision_fee_payer",
    "requesting_agent",
    "invoice",
    "payment_instruction_digest",
    "freshness_requirements",
    "buyer_mandate",
  ],
  "/v1/us/company-check": ["freshness_requirements"],
  "/v1/us/suppliers/approve": ["freshness_requirements"],
  "/v1/us/invoices/verify-payee": ["freshness_requirements", "invoice", "binding_evidence"],
  "/v1/us/payments/authorize": ["freshness_requirements", "invoice", "supplier_approval_reference"],
  "/v1/us/vendors/payment-details/authorize-change": [
    "freshness_requirements",
    "audience",
    "requesting_agent",
    "challenge",
  ],
  "/v1/us/vendors/authorizations/continue": ["freshness_requirements", "prior_authorization_reference"],
  "/v1/gb/payments/authorize": ["payee"],
  "/v1/gb/vendors/authorize-payment-detail-change": ["challenge", "prior_authorization_reference"],
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.origin + path, { headers })
const PAID = OPERATIONS.filter(({ authentication }) => authentication === "X402")

test("every paid route has both documents in the operation table", () => {
  expect(PAID.length).toBe(PRODUCT_ROWS.length)
  const paths = new Set(OPERATIONS.filter(({ method }) => method === "GET").map(({ path }) => path))
  const wanted = PAID.flatMap(({ path }) => [`${path}/schema`, `${path}/example`])
  expect(wanted.filter((path) => !paths.has(path))).toEqual([])
})

describe.each(PAID.map((row) => [row.path, row] as const))("%s", (path, { body }) => {
  test("publishes the schema of its body with the digest of exactly that schema", async () => {
    const answer = (await (await get(`${path}/schema`)).json()) as InputSchemaAnswer
    expect(compile(InputSchemaAnswer).Check(answer)).toBe(true)
    expect(answer.product).toBe(PRODUCT_ROWS.find((row) => row.path === path)?.id ?? "")
    expect(answer.schema_digest).toBe(digestOf(answer.schema))
    const printed = JSON.parse(JSON.stringify(body))
    expect(canonicalize(answer.schema)).toBe(canonicalize({ $schema: answer.dialect, ...printed }))
  })

  test("publishes a complete body, marked synthetic, that its own check and Ajv accept", async () => {
    const answer = (await (await get(`${path}/example`)).json()) as ExampleAnswer
    expect(compile(ExampleAnswer).Check(answer)).toBe(true)
    expect([answer.synthetic, answer.limitations[0]]).toEqual([true, "SYNTHETIC_EXAMPLE"])
    const { schema } = (await (await get(`${path}/schema`)).json()) as InputSchemaAnswer
    const ajv = new Ajv({ strict: true, strictRequired: false })
    addFormats(ajv)
    expect(ajv.validate(schema as object, answer.example)).toBe(true)
    expect(body && compile(body).Check(answer.example)).toBe(true)
  })

  test("publishes the body that the tests sell, except for members that are new in every request", async () => {
    const { example } = (await (await get(`${path}/example`)).json()) as { example: Record<string, unknown> }
    const sold = PRODUCT_ROWS.find((row) => row.path === path)?.body() as unknown as Record<string, unknown>
    const added = Object.keys(sold).filter((name) => !(name in example))
    expect(added).toEqual(path === "/v1/gb/payments/authorize" ? ["vendor_change"] : [])
    const other = Object.keys(example).filter((name) => canonicalize(example[name]) !== canonicalize(sold[name]))
    expect(other.sort()).toEqual(["idempotency_key", ...(NEW_IN_EVERY_PURCHASE[path] ?? [])].sort())
  })

  test.each([
    ["schema", 300],
    ["example", 60],
  ])("publishes %s with a strong ETag, readable from any origin, for %i seconds", async (name, seconds) => {
    const first = await get(`${path}/${name}`)
    const etag = first.headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    expect(first.headers.get("cache-control")).toBe(`public, max-age=${seconds}`)
    expect(first.headers.get("access-control-allow-origin")).toBe("*")
    const again = await get(`${path}/${name}`, { "if-none-match": etag })
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
  })
})

test("every published payment amount states in words that zero is refused, and with which code", () => {
  const members = PAID.map(({ body }) => (body as TObject).properties)
  const amounts = members.flatMap(({ amount }) => amount ?? [])
  expect(amounts.length).toBe(3)
  for (const { description } of amounts) expect(description).toEndWith("above zero: zero is answered 422 AMOUNT_ZERO")
})

test("the signed examples recompute and are signed with a key printed in RFC 8032", async () => {
  const paths = ["/v1/us/decision-gates/release-payment-to-supplier", "/v1/us/vendors/payment-details/authorize-change"]
  const published = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
  expect(exampleAgent.keyId).toBe(keyIdOf(published))
  for (const path of paths) {
    const answer = (await (await get(`${path}/example`)).json()) as ExampleAnswer
    const example = answer.example as DecisionRequest | VendorChangeRequest
    expect(answer.limitations).toContain("SIGNED_WITH_PUBLISHED_TEST_KEYS")
    const signature = example.requesting_agent.request_signature
    expect(verifySignature(published, requestSigningBytes(example), signature)).toBe(true)
    if ("buyer_mandate" in example) expect(digestFaults(example)).toEqual([])
    else expect(example.audience).toBe("https://svc.example")
  }
})
