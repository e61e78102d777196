/** The OpenAPI document, as printed from the operation table. */
import { describe, expect } from "bun:test"
import { PaymentPayload } from "../../schemas/x402.ts"
import { catalogue } from "../../src/base/refusals.ts"
import { NAMED_PARTS } from "../../src/discovery/openapi/component-names.ts"
import { operationTable } from "../../src/discovery/operations.ts"
import { requestDocuments } from "../../src/server/request-documents.ts"
import {
  CHANNELS,
  OpenapiChecker,
  type OpenapiDocument,
  type OpenapiResponse,
  printedOpenapi,
} from "../fixtures/openapi.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const rows = operationTable(CHANNELS)
const text = printedOpenapi(rows)
const document = JSON.parse(text) as OpenapiDocument
const checker = new OpenapiChecker(document)
const operations = rows.map((row) => [row.id, row, checker.operation(row.method, row.path.replace("*", "x"))] as const)
const paid = operations.filter(([, { authentication }]) => authentication === "X402")

describe("the document", () => {
  test("states the versions of the interface and its defaults", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "3.0.0", "x-contract-version": "1.0.0" },
      servers: [{ url: "https://svc.example" }],
      security: [],
      components: { securitySchemes: { agentEd25519: { type: "apiKey", in: "header", name: "Signature" } } },
    })
  })

  test("has the same bytes whenever it is printed, in whatever order the rows were registered", () => {
    expect(printedOpenapi(rows)).toBe(text)
    expect(printedOpenapi(operationTable(CHANNELS))).toBe(text)
  })

  test("has at most 96 KiB, compressed as it is sent", () => {
    expect(Bun.gzipSync(text).length).toBeLessThanOrEqual(96 * 1024)
  })

  test("has one operation for each row, and gains one for an added row", () => {
    const ids = (given: OpenapiDocument) =>
      Object.values(given.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(ids(document).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
    const [row] = rows
    if (!row) throw new Error("no rows")
    const added = printedOpenapi([...rows, { ...row, id: "added", path: "/v1/agent/added" }])
    expect(ids(JSON.parse(added) as OpenapiDocument)).toContain("added")
  })

  test("has a component for each part with a name", () => {
    const components = Object.keys((document.components as { schemas: object }).schemas)
    expect(Object.keys(NAMED_PARTS).filter((name) => !components.includes(name))).toEqual([])
  })

  test("has no reference to a component that is not there, and no component without a reference", () => {
    const used = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/([A-Za-z0-9_]+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    )
    const { securitySchemes: _, ...shared } = document.components
    const present = Object.entries(shared).flatMap(([kind, all]) => Object.keys(all).map((name) => `${kind}/${name}`))
    expect(present.toSorted()).toEqual([...used].toSorted())
  })

  test("names every error code", () => {
    expect(document.components.schemas["ErrorCode"]?.enum).toEqual(Object.keys(catalogue).toSorted())
    expect(document.components.schemas["Problem"]).toHaveProperty(
      "properties.code.$ref",
      "#/components/schemas/ErrorCode",
    )
  })
})

test.each(["agent_mcp", "agent_a2a"])("%s documents refusals only in the form of its protocol", (id) => {
  const [, row] = operations.find(([one]) => one === id) ?? []
  const types = Object.values(row?.responses ?? {}).map(({ mediaType = "application/json" }) => mediaType)
  expect(types.length).toBeGreaterThan(5)
  expect(new Set(types)).toEqual(new Set(["application/json"]))
})

test("a refusal that means the same everywhere is described once, one of too many requests with the header fields of a limit", () => {
  const shared = ["BodyUnreadable", "BodyTooLarge", "BodyNotJson", "BodyRefused", "TooManyRequests", "Refused"]
  for (const name of shared) {
    expect(document.components["responses"]?.[name]).toMatchObject({
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    })
    expect(text.split(`"#/components/responses/${name}"`).length - 1).toBeGreaterThan(5)
  }
  const { headers } = checker.resolved({ $ref: "#/components/responses/TooManyRequests" } as OpenapiResponse)
  expect(Object.keys(headers ?? {})).toEqual(["RateLimit", "RateLimit-Policy", "Retry-After"])
})

describe.each(operations)("%s", (_, row, operation) => {
  test("has a tag and its lifecycle, and names 429 and every other problem", () => {
    expect(operation.tags).toHaveLength(1)
    expect(operation["x-agent-mode-lifecycle"] ?? document["x-agent-mode-lifecycle"]).toBe(row.lifecycle)
    if (row.path.startsWith("/v1/agent-mode/")) expect(operation["x-agent-mode-lifecycle"]).toBe(row.lifecycle)
    const setting = row.headers?.["x-agent-mode-enabled"]
    expect(operation["x-agent-mode-enabled"]).toBe(setting === undefined ? undefined : setting === "true")
    expect(Object.keys(operation.responses)).toEqual([...Object.keys(row.responses), "default"])
    expect(operation.responses["default"]).toEqual({ $ref: "#/components/responses/Refused" })
    expect(Object.keys(operation.responses)).toContain("429")
    const { headers = {} } = checker.response(operation, 429) ?? {}
    expect(Object.keys(headers)).toEqual(["RateLimit", "RateLimit-Policy", "Retry-After"])
  })

  test("has its path parameters, and 404 or 422 for those that fit nothing", () => {
    const wanted = [...row.path.replace("*", "{rest}").matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => name)
    const resolved = (operation.parameters ?? []).map((one) => checker.resolved(one))
    const found = resolved.filter((one) => "in" in one && one.in === "path").map(({ name }) => name)
    expect(found).toEqual(wanted as string[])
    if (wanted.length > 0) expect(Object.keys(operation.responses)).toContain("404")
  })

  test("names the rejections of a body, and has an example that its schema accepts", () => {
    if (row.body === undefined) return expect(operation.requestBody).toBeUndefined()
    for (const status of [400, 413, 415, 422]) expect(checker.response(operation, status)?.content).toBeDefined()
    for (const status of ["400", "413", "415"]) expect(Object.keys(operation.responses)).toContain(status)
    const schema = operation.requestBody?.content["application/json"].schema ?? {}
    const example = checker.example(operation)
    if (example !== null) {
      expect(checker.faults(schema, example)).toEqual([])
      expect(example).toEqual(row.exampleBody)
    }
    // Other tests send what is there.
    else {
      const own = row.authentication === "X402" ? `${row.path}/example#/example` : null
      expect(checker.exampleAt(operation)).toBe(own ?? `/v1/openapi-examples.json#/${row.id}`)
    }
  })
})

describe.each(paid)("the paid operation %s", (_, row, operation) => {
  test("states its charge, needs no login and takes the payment in an optional header", () => {
    expect(operation.security).toEqual([])
    expect(operation["x-charge"]).toEqual({
      amount: row.price?.amount,
      amount_atomic: String(Math.round(Number(row.price?.amount) * 1_000_000)),
      asset: "USDC",
      network: "eip155:8453",
      scheme: "exact",
    })
    const headers = (operation.parameters ?? []).map((one) => checker.resolved(one))
    const isUk = row.product?.jurisdiction === "GB"
    expect(headers.map(({ name }) => name)).toEqual([
      "Payment-Signature",
      ...(isUk ? ["Idempotency-Key", "X-CDO-Request-Body-Digest"] : []),
    ])
    expect(headers.map((one) => (one as { required?: boolean }).required)).toEqual([
      false,
      ...(isUk ? [true, true] : []),
    ])
  })

  test("describes the quote with its header, and the pending payment with the time to wait", () => {
    const quote = checker.resolved(operation.responses[402] ?? {})
    expect(Object.keys(quote.headers ?? {})).toEqual(["PAYMENT-REQUIRED", "PAYMENT-RESPONSE"])
    expect(quote.content?.["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/PaymentQuote" })
    const pending = checker.resolved(operation.responses[202] ?? {})
    expect(Object.keys(pending.headers ?? {})).toEqual(["PAYMENT-RESPONSE", "Retry-After"])
    expect(pending.content?.["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/PendingPayment" })
  })

  test("accepts the example that its example route returns, and not another member", () => {
    const example = requestDocuments("https://svc.example")
      .find(({ product }) => product === row.product?.id)
      ?.example()
    const schema = operation.requestBody?.content["application/json"].schema ?? {}
    expect(checker.faults(schema, example)).toEqual([])
    expect(checker.faults(schema, { ...example, unknown_member: 1 })).not.toEqual([])
  })
})

test("the payment header is described as the service reads it", () => {
  const header = checker.resolved({ $ref: "#/components/parameters/PaymentSignature" }) as { schema?: object }
  expect(header.schema).toMatchObject({
    contentEncoding: "base64",
    contentMediaType: "application/json",
    contentSchema: { type: "object", required: PaymentPayload.required },
  })
})

test("a request is closed, and a reply may have a member that a later version adds", () => {
  const { schemas } = document.components
  for (const name of ["GbPaymentRequest", "GbPaymentRequestEligibility"]) {
    expect(schemas[name]).toMatchObject({ type: "object", additionalProperties: false })
  }
  expect(JSON.stringify(schemas["CompanyCheckAnswer"])).not.toMatch(/"(additional|unevaluated)Properties":false/)
  const bootstrap = { $ref: "#/components/schemas/AgentIdBootstrap" }
  expect(checker.faults(bootstrap, {})).not.toEqual([])
  expect(checker.faults(bootstrap, { other: 1 })).toEqual(checker.faults(bootstrap, {}))
})
