/** Contact for the products that sell a business answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { getCapabilities } from "../../schemas/discovery/capabilities.ts"
import { ANSWER_OPERATIONS } from "../../schemas/product-operations.ts"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import { walkSchema } from "../../src/contact/walk-schema.ts"
import { digestOf } from "../../src/core/digest.ts"
import { requestDocuments } from "../../src/server/request-documents.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { type ContactService, contactService, DECISION_PATHS, PRODUCT_PATHS } from "./contact-service.ts"

let service: ContactService
beforeAll(async () => {
  service = await contactService()
})
afterAll(() => service[Symbol.asyncDispose]())

const documents = requestDocuments(BASE_URL)
const instructionOf = (steps: readonly { id: string; instruction: string }[], id: string) => {
  const found = steps.find((step) => step.id === id)
  if (!found) throw new Error(`no step ${id}`)
  return found.instruction
}

describe("the other products", () => {
  test.each(ANSWER_OPERATIONS.map(({ contact, paid }) => [contact.path, paid] as const))(
    "%s names the missing inputs, the free checks and how to buy",
    async (path, paid) => {
      const answer = await service.product(path, {})
      const { missing, missing_one_of } = walkSchema(paid.body as never, {})
      expect(answer.missing_input_paths).toEqual([...missing])
      expect(answer.missing_one_of).toEqual([...missing_one_of])
      expect(answer).toMatchObject({
        product: paid.product?.id,
        status: "INPUT_REQUIRED",
        request_digest: digestOf({}),
      })
      expect(answer.purchase.x402).toMatchObject({ amount: paid.price.amount, asset: "USDC", network: "eip155:8453" })
      const ids = answer.purchase.x402.steps.map(({ id }) => id)
      expect(ids.slice(-4)).toEqual(["CHECK_ELIGIBILITY", "REQUEST_QUOTE", "PAY_ONCE", "VERIFY_ANSWER"])
      const review = instructionOf(answer.purchase.x402.steps, "REQUEST_QUOTE")
      expect(review.includes("A person reviews")).toBe(paid.product?.jurisdiction === "GB")
    },
  )

  test.each(PRODUCT_PATHS)("%s: the example of the product lacks nothing", async (path) => {
    const { example } =
      documents.find(({ operations }) => `${path}`.startsWith(operations.example.path.replace(/example$/, ""))) ?? {}
    const answer = await service.product(path, { draft_request: example?.() ?? {} })
    expect([answer.status, answer.missing_input_paths, answer.invalid_inputs]).toEqual(["INPUT_COMPLETE", [], []])
  })

  test("every paid product has a contact route", async () => {
    const rows = service.service.shell.served.rows()
    const paid = rows.filter(({ authentication }) => authentication === "X402")
    const paths = new Set(rows.map(({ path }) => path))
    expect(paid.map(({ product }) => product?.id).sort()).toEqual(PRODUCT_IDS.toSorted())
    expect(paid.filter(({ path }) => !paths.has(`${path}/contact`))).toEqual([])
  })

  test("the catalogue of capabilities lists contact among the free operations", async () => {
    const response = await service.send(new Request(BASE_URL + getCapabilities.path))
    const { free_operations } = (await response.json()) as { free_operations: { path: string }[] }
    const paths = free_operations.map(({ path }) => path)
    for (const path of [...DECISION_PATHS, ...PRODUCT_PATHS]) expect(paths).toContain(path)
  })
})
