/** The authorization that a change of a vendor replaces. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { buyAnswer, freshKey } from "../../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { deadForPayer, deadReference, unsold } from "../../../fixtures/unsold.ts"
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
  const after = (prior: string | null) => vendorChangeBody({ ...next, prior_authorization_reference: prior })
  const decisionAfter = async (prior: string) => (await buy(after(prior))).answer.decision
  const refusedAfter = (prior: string | null, by = DEV_ACCOUNTS.payer) =>
    unsold(seller.server, { path: PATH, body: after(prior) }, by)

  test("is an earlier answer to the same payer about the same vendor, with the current destination", async () => {
    const first = await buy(vendorChangeBody())
    const { execution_id: id } = first.answer
    // A challenge of a minute ago refers to the authorization before it.
    expect(await refusedAfter(id)).toMatchObject(deadReference("CHALLENGE_NOT_FRESH"))
    await seller.sql(
      "UPDATE answer_record SET decided_at = ? WHERE execution_id = ?",
      formatInstant(Date.now() - DAY),
      id,
    )
    expect(await decisionAfter(id)).toBe("APPROVE")
    const unknown = deadReference("PRIOR_AUTHORIZATION_NOT_FOUND")
    expect(await refusedAfter(`exe_${"A".repeat(22)}`)).toMatchObject(unknown)
    expect(await refusedAfter(null)).toMatchObject(unknown)
    const elsewhere = vendorChangeBody({
      current_payee_fingerprint: CURRENT_PAYEE,
      prior_authorization_reference: id,
    })
    const differs = await unsold(seller.server, { path: PATH, body: elsewhere })
    expect(differs).toMatchObject(deadReference("PRIOR_AUTHORIZATION_DIFFERS"))
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
    await seller.sql(
      "UPDATE answer_record SET decided_at = ? WHERE execution_id = ?",
      formatInstant(Date.now() - DAY),
      answer.execution_id,
    )
    expect(await decisionAfter(answer.execution_id)).toBe("APPROVE")
  })

  test("is not one of another payer, or one that its holder revoked", async () => {
    const { answer } = await buy(vendorChangeBody())
    const { execution_id: id } = answer
    await seller.sql(
      "UPDATE answer_record SET decided_at = ? WHERE execution_id = ?",
      formatInstant(Date.now() - DAY),
      id,
    )
    const theirs = await refusedAfter(id, DEV_ACCOUNTS.secondPayer)
    expect(theirs).toMatchObject(deadForPayer("PRIOR_AUTHORIZATION_NOT_FOUND"))
    await seller.sql(
      "UPDATE authorization_token SET state = 'REVOKED', changed_at = 't', revocation_reason = 'SUPERSEDED', idempotency_key = 'k', request_digest = 'd' WHERE execution_id = ?",
      answer.execution_id,
    )
    expect(await refusedAfter(id)).toMatchObject(deadReference("PRIOR_AUTHORIZATION_NOT_FOUND"))
  })
})
