/** What a payee verification of the fee wallet permits in a Payment Decision. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { buyAnswer, freshKey } from "../../../fixtures/answers.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"
import { enterChangeKey } from "../../../fixtures/vendor-change.ts"
import { verificationBody } from "../payee-verification/reasons.ts"
import { coreDigestOf, newDestination, payingAt } from "./bought-changes.ts"
import { buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { openSeller, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await seller.chain.mint(sellerPayer, 200_000_000n)
  await enterChangeKey(seller.server)
})
afterAll(() => seller.close())
const sellerPayer = freshRequest().decision_fee_payer as `0x${string}`

const FIRST = ["FIRST_PAYMENT_TO_DESTINATION", "LIMITED_COVERAGE"]
const CHANGED = ["DESTINATION_CHANGED_WITHOUT_AUTHORIZATION", "LIMITED_COVERAGE"]

describe("a payee verification of the fee wallet", () => {
  /** Bought by the wallet that pays the fees. `changes` are then applied to its record. */
  async function verified(changes = "") {
    const [supplier, to] = [newSupplier(), newDestination()]
    const { legal_name = "", identifiers } = supplier
    const obligation_id = freshKey()
    const body = verificationBody(Date.now(), {
      company: { legal_name, identifiers },
      invoice: { obligation_id, document_digest: digestOf(obligation_id) },
      payee: to,
      payment_destination: to,
    })
    const { answer, headers } = await buyAnswer(seller.server, { path: "/v1/us/invoices/verify-payee", body })
    expect(answer.decision).toBe("APPROVE")
    const reference = coreDigestOf(headers)
    if (changes !== "") await seller.sql(`UPDATE answer_record SET ${changes} WHERE core_digest = ?`, reference)
    return { supplier, to, reference }
  }

  test("proves a first destination, named or not", async () => {
    const { supplier, to, reference } = await verified()
    const named = await buyChecked(seller, { request: payingAt(supplier, to, reference) })
    expect(named.response.decision).toBe("ALLOW")
    expect(named.facts.resolved_references).toMatchObject([{ kind: "PAYEE_VERIFICATION" }])
    const other = await verified()
    const unnamed = await buyChecked(seller, { request: payingAt(other.supplier, other.to) })
    expect([unnamed.response.decision, unnamed.facts.known_destinations.map(({ basis }) => basis)]).toEqual([
      "ALLOW",
      ["PAYEE_VERIFICATION"],
    ])
  })

  test.each([
    ["is older than ninety days", `decided_at = '${formatInstant(Date.now() - 90 * DAY - MINUTE)}'`],
    ["set conditions", "decision = 'CONDITIONAL'"],
    ["is another wallet's", `owner = '0x${"2".repeat(40)}'`],
    ["is of another destination", `destination_fingerprint = '${digestOf("elsewhere")}'`],
  ])("lifts no reason if it %s", async (_, changes) => {
    const { supplier, to, reference } = await verified(changes)
    const { response } = await buyChecked(seller, { request: payingAt(supplier, to, reference) })
    expect(response.reason_codes).toEqual(FIRST)
  })

  test("never changes a destination: verifying another payee does not redirect the money", async () => {
    const { supplier, to, reference } = await verified()
    await raiseTolerance(seller)
    const paid = newDestination()
    const first = await buyChecked(seller, { request: { ...payingAt(supplier, paid), risk_policy: HIGH } })
    expect(first.response.decision).toBe("ALLOW")
    const moved = await buyChecked(seller, { request: payingAt(supplier, to, reference) })
    expect(moved.response.reason_codes).toEqual(CHANGED)
  })
})
