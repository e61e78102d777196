/** Eligibility of a request with missing members. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { EligibilityCheckId, EligibilityResponse } from "../../../../schemas/us/eligibility.ts"
import { type DecisionRequest, decisionRequestMembers } from "../../../../schemas/us/payment-decision.ts"
import { destination } from "../../../fixtures/decision.ts"
import { expectProblem } from "../../../fixtures/problems.ts"
import { freshRequest, PATH } from "../../../fixtures/test-server.ts"
import { askEligibility, openEligibilitySeller } from "./eligibility-seller.ts"
import { LISTED_WALLET, type Seller } from "./seller.ts"

let seller: Seller
beforeAll(async () => {
  seller = await openEligibilitySeller()
})
afterAll(() => seller.close())

const ask = (body: unknown) => askEligibility(seller, body)
const line = ({ checks }: EligibilityResponse, id: EligibilityCheckId) => checks.find(({ check_id }) => check_id === id)
const states = ({ checks }: EligibilityResponse) =>
  Object.fromEntries(checks.map(({ check_id, state }) => [check_id, state]))

const PRIVATE: readonly EligibilityCheckId[] = [
  "AGENT_KEY",
  "IDEMPOTENCY_KEY",
  "BUYER",
  "DELEGATION",
  "MANDATE",
  "IDENTITY_COLLISION",
  "EARLIER_AUTHORIZATION",
]

const supplier = {
  entity_id: "supplier:eligible",
  legal_name: "Harbor Light LLC",
  identifiers: { uei: "ZQGGHJH74DW7" },
}
describe("a partial request", () => {
  const members = Object.keys(decisionRequestMembers) as (keyof DecisionRequest)[]

  test.each(members)("without %s gets lines that name it and judge the rest", async (member) => {
    const { [member]: _, ...partial } = freshRequest()
    const given = await ask(partial)
    expect(line(given, "REQUEST_COMPLETE")).toEqual({
      check_id: "REQUEST_COMPLETE",
      state: "FAILED",
      code: "SCHEMA_INVALID",
      pointers: [`/${member}`],
    })
    expect(given.required_information).toEqual([`/${member}`])
    for (const id of [...PRIVATE, "REQUEST_SIGNATURE"] as const) expect(line(given, id)?.state).toBe("NOT_EVALUATED")
    if (member !== "supplier") expect(line(given, "SUPPLIER_IDENTIFIER")?.state).toBe("PASSED")
  })

  test("that is empty gets lines about everything", async () => {
    const given = await ask({})
    expect(given.required_information).toEqual(members.map((member) => `/${member}`))
    const judged = given.checks.filter(({ state }) => state !== "NOT_EVALUATED").map(({ check_id }) => check_id)
    expect(judged).toEqual(["REQUEST_COMPLETE"])
  })

  test("with a wrong fingerprint is refused at once, but a correct one is judged only in a complete request", async () => {
    expect(line(await ask({ payee: destination() }), "DIGESTS")?.state).toBe("NOT_EVALUATED")
    const wrong = await ask({ payee: { ...destination(), fingerprint: `sha256:${"0".repeat(64)}` } })
    expect(line(wrong, "DIGESTS")).toMatchObject({ state: "FAILED", pointers: ["/payee/fingerprint"] })
  })

  test("needs only identifier, name and fee wallet to be judged before anything is signed", async () => {
    const given = await ask({ supplier, decision_fee_payer: LISTED_WALLET })
    expect(states(given)).toMatchObject({
      SUPPLIER_IDENTIFIER: "PASSED",
      LEGAL_NAME: "PASSED",
      DECISION_FEE_PAYER: "FAILED",
    })
  })

  test("with a date that does not exist is rejected with its pointer", async () => {
    const body = freshRequest({ mandate: { valid_from: "2026-02-30T00:00:00Z" } })
    const answer = await seller.server.post(body, {}, `${PATH}/eligibility`)
    const { errors } = await expectProblem(answer, 422, "SCHEMA_INVALID")
    expect(errors.map(({ pointer }) => pointer)).toEqual(["/buyer_mandate/payload/valid_from"])
  })

  test.each([
    ["an unknown member", { extra: 1 }, 422],
    ["a broken member", { supplier: { ...supplier, extra: 1 } }, 422],
    ["a name twice", '{"amount":"1","amount":"2"}', 400],
  ])("with %s is rejected", async (_, body, status) => {
    expect((await seller.refused(body, {}, `${PATH}/eligibility`)).status).toBe(status)
  })
})
