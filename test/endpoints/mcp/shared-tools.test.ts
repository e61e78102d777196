/** The tools that serve every product: each runs the operation of the product that its argument names. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { PRODUCT_OPERATIONS } from "../../../schemas/product-operations.ts"
import { askModern, type McpService, mcpService } from "../../fixtures/mcp.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let service: McpService
beforeAll(async () => {
  service = await mcpService({ rate_limits: "off" })
})
afterAll(() => service[Symbol.asyncDispose]())

type Json = Readonly<Record<string, unknown>>

async function call(name: string, args: object) {
  const { json } = await askModern(service.url, "tools/call", { name, arguments: args })
  const { isError, content } = json.result as { isError?: boolean; content: readonly [{ text: string }] }
  return { isError, body: JSON.parse(content[0].text) as Json }
}

async function overHttp(path: string, body: object): Promise<Json> {
  const headers = { "content-type": "application/json" }
  return (await (
    await fetch(service.origin + path, { method: "POST", headers, body: JSON.stringify(body) })
  ).json()) as Json
}

/** Members of an answer that differ between two calls. */
const timeless = ({ valid_as_of: _, expires_at: __, ...rest }: Json) => rest

describe.each(PRODUCT_OPERATIONS.map(({ id, paid, eligibility, contact }) => ({ id, paid, eligibility, contact })))(
  "$id",
  ({ id, paid, eligibility, contact }) => {
    test("check_eligibility answers what HTTP answers, by tool name and by product id", async () => {
      const http = await overHttp(eligibility.path, {})
      for (const product of [paid.id, id]) {
        const { isError, body } = await call("check_eligibility", { product, request: {} })
        expect([isError, timeless(body)]).toEqual([undefined, timeless(http)])
      }
    })

    test("review_draft answers what HTTP answers, and names the missing inputs", async () => {
      const { isError, body } = await call("review_draft", { product: paid.id, request: {} })
      expect([isError, body["product"], body["status"]]).toEqual([undefined, id, "INPUT_REQUIRED"])
      const intent = contact.path.includes("release-payment") ? { intent: "RELEASE_PAYMENT_TO_SUPPLIER" } : {}
      const http = await overHttp(contact.path, { ...intent, draft_request: {} })
      expect(timeless(body)).toEqual(timeless(http))
    })
  },
)

test("a wrong member of a request is refused as on the route, at the place that the request has there", async () => {
  const { isError, body } = await call("check_eligibility", { product: "us_company_check", request: { company: 1 } })
  const http = await overHttp("/v1/us/company-check/eligibility", { company: 1 })
  expect([isError, body["code"], body["errors"]]).toEqual([true, "SCHEMA_INVALID", http["errors"] as never])
  expect(body["instance"]).toBe("/v1/us/company-check/eligibility")
})

test("a wrong product names the tools and ids that are taken", async () => {
  const { body } = await call("check_eligibility", { product: "none", request: {} })
  const [fault] = body["errors"] as readonly { pointer: string; expected: string }[]
  expect(fault?.pointer).toBe("/product")
  expect(fault?.expected).toContain("us_company_check")
  expect(body["instance"]).toBe("/v1/agent/mcp")
})

test("recover_payment_decision runs the route of recovery", async () => {
  const authentication = { issued_at: new Date().toISOString(), nonce: "n".repeat(32), signature: "A".repeat(86) }
  const given = { request: {}, authentication }
  const { isError, body } = await call("recover_payment_decision", { product: "release_payment_to_supplier", ...given })
  const http = await overHttp("/v1/us/decision-gates/release-payment-to-supplier/recover", given)
  expect([isError, body["code"], body["errors"]]).toEqual([true, http["code"] as string, http["errors"] as never])
})
