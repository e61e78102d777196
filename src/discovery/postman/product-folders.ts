/**
 * One folder for each product: schema, example, and the call that asks for a quote. No request has a payment, so the run stops at 402. The
 * example is synthetic, so the service may refuse it instead. Either way nothing is charged, and the scripts test that.
 */
import type { PostmanFolder } from "../../../schemas/agent-id/postman.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { type RequestHeader, requestHeaders } from "../request-headers.ts"
import { type SoldOperation, soldOperations } from "../sold.ts"
import { KEEP, type PostmanVariable, request, successTest, variable } from "./requests.ts"

export const PRODUCT_VARIABLES: readonly PostmanVariable[] = [
  variable("example_body", "Set by each Example request: the body that the next request sends"),
  variable("example_key", "Set by each Example request: its idempotency_key"),
  variable("example_digest", "Set by each Example request: SHA-256 of the body's bytes"),
]

const VALUES: Readonly<Record<RequestHeader["of"], string>> = {
  IDEMPOTENCY_KEY: "{{example_key}}",
  BODY_DIGEST: "{{example_digest}}",
}

const SCHEMA_TESTS = `
pm.test("the schema has a digest", () => pm.expect(pm.response.json().schema_digest).to.match(/^sha256:[0-9a-f]{64}$/))
`

const EXAMPLE_TESTS = `
const { synthetic, example } = pm.response.json()
pm.test("the example is synthetic", () => pm.expect(synthetic).to.equal(true))
${KEEP}
const body = JSON.stringify(example)
keep("example_body", body)
keep("example_key", example.idempotency_key)
keep("example_digest", "sha256:" + require("crypto-js").SHA256(body).toString())
`

/** The folders of the served products that have both documents. */
export function productFolders(operations: readonly Operation[]): PostmanFolder[] {
  const byPath = new Map(operations.filter(({ method }) => method === "GET").map((row) => [row.path, row]))
  return soldOperations(operations).flatMap((sold) => {
    const schema = byPath.get(`${sold.path}/schema`)
    const example = byPath.get(`${sold.path}/example`)
    return schema && example ? [folder(sold, schema, example)] : []
  })
}

function folder(sold: SoldOperation, schema: Operation, example: Operation): PostmanFolder {
  const headers = Object.fromEntries(requestHeaders(sold).map(({ name, of }) => [name, VALUES[of]]))
  return {
    name: sold.product.id,
    description: `${sold.summary}. Price: ${sold.price.amount} ${sold.price.asset}. This folder never pays: it stops at the quote.`,
    event: [],
    item: [
      request(`Schema of ${sold.product.id}`, schema, { tests: successTest(schema) + SCHEMA_TESTS }),
      request(`Example of ${sold.product.id}`, example, { tests: successTest(example) + EXAMPLE_TESTS }),
      request(`Quote for ${sold.product.id}`, sold, { body: "{{example_body}}", headers, tests: quoteTests(sold) }),
    ],
  }
}

/** Statuses that the row documents for a call that never pays. A 200 is an answer that decides nothing and is not charged. */
const UNPAID = [200, 402, 403, 409, 422, 503]

function quoteTests({ responses, price }: SoldOperation): string {
  const accepted = UNPAID.filter((status) => status in responses)
  return `
const answer = pm.response.json()
pm.test("a quote or a documented refusal", () => pm.expect([${accepted}]).to.include(pm.response.code))
pm.test("nothing was presented and nothing was charged", () => {
  pm.expect(pm.request.headers.has("Payment-Signature")).to.equal(false)
  if (pm.response.code === 200) pm.expect(answer.economic_activity.charged).to.equal(false)
  else if (pm.response.code !== 402) pm.expect(answer.charged).to.equal(false)
  else {
    pm.expect(answer.svc.not_a_charge).to.equal(true)
    pm.expect(answer.svc.price.amount).to.equal(${JSON.stringify(price.amount)})
    pm.expect(pm.response.headers.has("PAYMENT-REQUIRED")).to.equal(true)
  }
})
`
}
