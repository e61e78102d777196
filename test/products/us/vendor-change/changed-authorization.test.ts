/** The authorization that a change of a vendor replaces. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { buyAnswer, freshKey, signedFor } from "../../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import {
  CURRENT_PAYEE,
  enterChangeKey,
  VENDOR_CHANGE_PATH as PATH,
  PROPOSED,
  vendorChangeBody,
} from "../../../fixtures/vendor-change.ts"
import { verificationBody } from "../payee-verification/reasons.ts"
import { openSeller, type Seller } from "../payment-decision/seller.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await seller.chain.mint(DEV_ACCOUNTS.secondPayer.address, 10_000_000n)
  await enterChangeKey(seller.server)
})
afterAll(() => seller.close())

const buy = (body: VendorChangeRequest) => buyAnswer(seller.server, { path: PATH, body })

describe("the prior authorization of a change", () => {
  const next = { current_payee_fingerprint: PROPOSED.fingerprint, proposed_payee_fingerprint: CURRENT_PAYEE }
  const reasons = async (prior: string | null) =>
    (await buy(vendorChangeBody({ ...next, prior_authorization_reference: prior }))).answer.reason_codes

  test("is an earlier answer to the same payer about the same vendor, with the current destination", async () => {
    const first = await buy(vendorChangeBody())
    const { execution_id: id } = first.answer
    // A challenge of a minute ago refers to the authorization before it.
    expect(await reasons(id)).toEqual(["CHALLENGE_NOT_FRESH", "LIMITED_COVERAGE"])
    seller.sql("UPDATE answer_record SET decided_at = ? WHERE execution_id = ?", formatInstant(Date.now() - DAY), id)
    expect(await reasons(id)).toEqual(["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"])
    expect(await reasons(`exe_${"A".repeat(22)}`)).toEqual(["PRIOR_AUTHORIZATION_NOT_FOUND", "LIMITED_COVERAGE"])
    expect(await reasons(null)).toEqual(["PRIOR_AUTHORIZATION_NOT_FOUND", "LIMITED_COVERAGE"])
    const elsewhere = vendorChangeBody({
      current_payee_fingerprint: CURRENT_PAYEE,
      prior_authorization_reference: id,
    })
    expect((await buy(elsewhere)).answer.reason_codes).toContain("PRIOR_AUTHORIZATION_DIFFERS")
  })

  test("may be a payee verification", async () => {
    const obligation_id = freshKey()
    const body = verificationBody(Date.now(), {
      company: vendorChangeBody().company,
      invoice: { obligation_id, document_digest: digestOf(obligation_id) },
      payee: PROPOSED,
      payment_destination: PROPOSED,
    })
    const { answer } = await buyAnswer(seller.server, { path: "/v1/us/invoices/verify-payee", body })
    seller.sql(
      "UPDATE answer_record SET decided_at = ? WHERE execution_id = ?",
      formatInstant(Date.now() - DAY),
      answer.execution_id,
    )
    expect(await reasons(answer.execution_id)).toEqual([
      "CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE",
      "LIMITED_COVERAGE",
    ])
  })

  test("is not one of another payer, or one that its holder revoked", async () => {
    const { answer } = await buy(vendorChangeBody())
    const body = vendorChangeBody({ ...next, prior_authorization_reference: answer.execution_id })
    const theirs = await signedFor(seller.server, { path: PATH, body }, DEV_ACCOUNTS.secondPayer)
    expect((await buyAnswer(seller.server, { path: PATH, body }, theirs)).answer.reason_codes).toContain(
      "PRIOR_AUTHORIZATION_NOT_FOUND",
    )
    seller.sql(
      "UPDATE authorization_token SET state = 'REVOKED', changed_at = 't', revocation_reason = 'SUPERSEDED', idempotency_key = 'k', request_digest = 'd' WHERE execution_id = ?",
      answer.execution_id,
    )
    expect(await reasons(answer.execution_id)).toContain("PRIOR_AUTHORIZATION_NOT_FOUND")
  })
})
