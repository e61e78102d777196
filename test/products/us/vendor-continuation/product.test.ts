/** The continuation of a US vendor's authorization, on a real chain and a real database file. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import {
  type ChangeSince,
  VendorContinuationAnswer,
  type VendorContinuationRequest,
} from "../../../../schemas/us/vendor-continuation.ts"
import { buyAnswer, usBody } from "../../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { priceOf } from "../../../fixtures/prices.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { listedParty, staticBoard } from "../../../fixtures/test-server.ts"
import { deadForPayer, deadReference, unsold } from "../../../fixtures/unsold.ts"
import { enterChangeKey, VENDOR_CHANGE_PATH, vendorChangeBody } from "../../../fixtures/vendor-change.ts"
import { healthyBoard, LISTED, openSeller, type Seller } from "../payment-decision/seller.ts"

const test = slowTests(import.meta.path)

const PRICE = priceOf("us.vendor.authorization.continue.v1")

setDefaultTimeout(30_000)
const PATH = "/v1/us/vendors/authorizations/continue"

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await seller.chain.mint(DEV_ACCOUNTS.secondPayer.address, 10_000_000n)
  await enterChangeKey(seller.server)
})
afterAll(() => seller.close())

const body = (reference: string, changes: Partial<VendorContinuationRequest> = {}): VendorContinuationRequest => ({
  ...usBody(),
  prior_authorization_reference: reference,
  ...changes,
})
const continued = async (reference: string, changes: Partial<VendorContinuationRequest> = {}) =>
  (await buyAnswer(seller.server, { path: PATH, body: body(reference, changes) })).answer

const refused = (reference: string, changes: Partial<VendorContinuationRequest> = {}) =>
  unsold(seller.server, { path: PATH, body: body(reference, changes) })

async function authorized(): Promise<string> {
  const { answer } = await buyAnswer(seller.server, { path: VENDOR_CHANGE_PATH, body: vendorChangeBody() })
  return answer.execution_id
}

test("an authorization is continued for thirty days, charged once, and its continuation can be continued", async () => {
  const before = await seller.state()
  const answer = await continued(await authorized())
  expect([...Value.Errors(VendorContinuationAnswer, answer)]).toEqual([])
  expect(answer).toMatchObject({ decision: "APPROVE", payment: { charged_price_usd: PRICE.usd } })
  expect(answer.result["continued_until"]).toBe(answer.valid_until)
  expect((await seller.state()).transfers).toBe(before.transfers + 2)
  expect((await continued(answer.execution_id)).decision).toBe("APPROVE")
})

test("the answer lists what changed since: a newer list, a vendor that was listed", async () => {
  const reference = await authorized()
  const listed = listedParty({ names: [{ text: "HARBOR LIGHT INSTRUMENTS LLC", kind: "primary" }] })
  seller.useBoard(
    staticBoard([...LISTED, listed], (state) =>
      state.sourceId === "US_OFAC_SDN" && state.snapshot
        ? { ...state, snapshot: { ...state.snapshot, sourceVersion: "2026-11-22#9" } }
        : state,
    ),
  )
  const answer = await continued(reference).finally(() => seller.useBoard(healthyBoard))
  expect(answer.reason_codes).toContain("PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED")
  expect(answer.result["continued_until"]).toBeNull()
  const changes = answer.result["changed_since"] as ChangeSince[]
  expect(changes).toContainEqual({
    what: "LIST_VERSION",
    source_id: "US_OFAC_SDN",
    before: "2026-11-19#3",
    after: "2026-11-22#9",
  })
  expect(changes).toContainEqual({ what: "LISTED_ENTRY", source_id: "US_OFAC_SDN", before: null, after: "90001" })
})

test("no answer, a company check and another payer's authorization are not found, and nothing is charged", async () => {
  const notFound = deadReference("PRIOR_AUTHORIZATION_NOT_FOUND")
  expect(await refused(`exe_${"A".repeat(22)}`)).toMatchObject(notFound)
  const check = await buyAnswer(seller.server, { path: "/v1/us/company-check", body: usBody() })
  expect(await refused(check.answer.execution_id)).toMatchObject(notFound)
  const purchase = { path: PATH, body: body(await authorized()) }
  const theirs = await unsold(seller.server, purchase, DEV_ACCOUNTS.secondPayer)
  expect(theirs).toMatchObject(deadForPayer("PRIOR_AUTHORIZATION_NOT_FOUND"))
})

test("an answer that permitted nothing is not found either", async () => {
  const unscreenable = { legal_name: "LLC", identifiers: usBody().company.identifiers }
  const { answer } = await buyAnswer(seller.server, {
    path: VENDOR_CHANGE_PATH,
    body: vendorChangeBody({ company: unscreenable }),
  })
  expect(answer.decision).toBe("REVIEW")
  expect(await refused(answer.execution_id)).toMatchObject(deadReference("PRIOR_AUTHORIZATION_NOT_FOUND"))
})

test("another vendor's authorization and a revoked one get their own reasons", async () => {
  const reference = await authorized()
  const other = { legal_name: "Quiet Meadow Tools LLC", identifiers: { cage: "7F8K2" } }
  expect(await refused(reference, { company: other })).toMatchObject(deadReference("PRIOR_AUTHORIZATION_DIFFERS"))
  await seller.sql(
    "UPDATE authorization_token SET state = 'REVOKED', changed_at = 't', revocation_reason = 'SUPERSEDED', idempotency_key = 'k', request_digest = 'd' WHERE execution_id = ?",
    reference,
  )
  expect(await refused(reference)).toMatchObject(deadReference("PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED"))
})
