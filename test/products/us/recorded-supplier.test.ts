/** Every US product judges a company by each identifier that the payer's own records know, whichever of them a request names (rulings 89). */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { CompanyCheckRequest } from "../../../schemas/us/company-check.ts"
import { type AnswerTestServer, answerTestServer } from "../../fixtures/answer-test-server.ts"
import { type Bought, buyAnswer, usBody } from "../../fixtures/answers.ts"
import { changingSources } from "../../fixtures/changing-sources.ts"
import type { ProductRow } from "../../fixtures/products.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { enterBuyer, listedParty } from "../../fixtures/test-server.ts"
import { ROW as COMPANY_CHECK } from "./company-check/row.ts"
import { ROW as PAYEE_VERIFICATION } from "./payee-verification/row.ts"
import { ROW as PAYMENT_AUTHORIZATION } from "./payment-authorization/row.ts"
import { ROW as SUPPLIER_APPROVAL } from "./supplier-approval/row.ts"
import { ROW as VENDOR_CHANGE } from "./vendor-change/row.ts"
import { ROW as VENDOR_CONTINUATION } from "./vendor-continuation/row.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const LEI = "5493001KJTIIGC8Y1R12"
const JUDGES_COMPANY = [COMPANY_CHECK, SUPPLIER_APPROVAL, PAYEE_VERIFICATION]
const ROWS = [...JUDGES_COMPANY, PAYMENT_AUTHORIZATION, VENDOR_CHANGE, VENDOR_CONTINUATION]

const sources = changingSources()
const { company } = usBody()
let input: AnswerTestServer
beforeAll(async () => {
  input = await answerTestServer({ board: sources.board, registers: sources.registers })
  await enterBuyer(input.server)
  for (const row of ROWS) await row.prepare?.(input.server)
  sources.register(LEI, company.legal_name ?? "")
  const known = { ...company, identifiers: { ...company.identifiers, lei: LEI } }
  const { answer } = await buyAnswer(input.server, { path: COMPANY_CHECK.path, body: usBody({ company: known }) })
  expect(answer.decision).toBe("APPROVE")
})
afterAll(() => input[Symbol.asyncDispose]())

/** Buys the product for the company under its UEI alone. */
async function bought(row: ProductRow, change: () => void): Promise<Bought> {
  sources.reset()
  sources.register(LEI, company.legal_name ?? "")
  change()
  const body = row.body()
  expect(Object.keys((body as CompanyCheckRequest).company.identifiers)).toEqual(["uei"])
  return buyAnswer(input.server, { path: row.path, body })
}

describe("a request that leaves out the LEI of a company that the payer knows", () => {
  test.each(ROWS.map((row) => [row.id, row] as const))("%s is as before while the sources agree", async (_, row) => {
    const { answer } = await bought(row, () => {})
    expect(["APPROVE", "CONDITIONAL"]).toContain(answer.decision)
  })

  test.each(ROWS.map((row) => [row.id, row] as const))("%s is blocked when a list has the LEI", async (_, row) => {
    const { answer, text } = await bought(row, () =>
      sources.list(listedParty({ identifiers: [{ scheme: "lei", value: LEI }] })),
    )
    expect([answer.decision, answer.reason_codes[0]]).toEqual(["BLOCK", "RESTRICTED_PARTY_MATCH"])
    // The answer never says which identifiers the records have.
    expect(text).not.toContain(LEI)
  })

  test.each(JUDGES_COMPANY.map((row) => [row.id, row] as const))(
    "%s goes to review when the register gives the LEI another name",
    async (_, row) => {
      const { answer, text } = await bought(row, () => sources.register(LEI, "Quarry Seven Pumps Inc"))
      expect([answer.decision, answer.reason_codes[0]]).toEqual(["REVIEW", "SUPPLIER_NAME_MISMATCH"])
      expect(text).not.toContain(LEI)
      expect(text).not.toContain("Quarry")
    },
  )
})
