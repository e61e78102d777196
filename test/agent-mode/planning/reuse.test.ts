import { afterAll, beforeAll, expect, test } from "bun:test"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import { COMPANY_CHECK_PRODUCT } from "../../../schemas/us/company-check.ts"
import { PAYEE_VERIFICATION_PRODUCT } from "../../../schemas/us/payee-verification.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { type FoundReference, judgeReferences } from "../../../src/agent-mode/planning/judge-references.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { issuerKey } from "../../fixtures/decision.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import * as made from "../wallet/artifacts.ts"
import { openWallets, type Wallets } from "../wallet/wallets.ts"
import { intentBody, type Payload, START } from "./planning-service.ts"

let wallets: Wallets
beforeAll(async () => {
  wallets = await openWallets({ agent_mode_planning: "on" })
})
afterAll(() => wallets.service[Symbol.asyncDispose]())

async function preview(reference: { digest: string; wallet_entry_id: string | null }, changes: object) {
  const body = intentBody({
    intent: "RELEASE_PAYMENT_TO_SUPPLIER",
    input_digests: {},
    evidence_references: [{ ...reference, authorized_by_caller: true }],
    freshness_requirements: { max_age_seconds: 60, evaluated_at: formatInstant(wallets.service.clock.now()) },
    ...changes,
  })
  const request = new Request(BASE_URL + planningOperations.reuse.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const told = await wallets.service.told(await wallets.service.send(request))
  expect(told.status).toBe(200)
  return told.body["payload"] as Payload
}

test("an entry of the wallet replaces a purchase about the same payment, and nothing is left to buy", async () => {
  const capsule = made.decision()
  const { payload } = capsule
  const { body } = await wallets.bring("PROOF_CAPSULE", capsule)
  const reference = {
    digest: body["artifact_digest"] as string,
    wallet_entry_id: body["wallet_entry_id"] as string,
  }
  const subject = {
    "/buyer/organization_digest": digestOf(payload.buyer_organization_digest),
    "/supplier/entity_id": digestOf(payload.supplier_entity_id),
    "/invoice/obligation_id": digestOf(payload.obligation_id),
    "/invoice/document_digest": digestOf(payload.document_digest),
    "/payee/fingerprint": digestOf(payload.payee_fingerprint),
    "/payment_destination/fingerprint": digestOf(payload.payment_destination_fingerprint),
    "/amount": digestOf(payload.amount),
    "/currency": digestOf(payload.currency),
  }
  const told = await preview(reference, { input_digests: subject })
  expect([told.outcome, told.next_machine_action]).toEqual(["REUSE_AVAILABLE", "REUSE_EVIDENCE_DO_NOT_PURCHASE"])
  expect(told["reusable"]).toMatchObject([{ product_id: PAYMENT_DECISION_PRODUCT, effect: "REPLACES_PURCHASE" }])
  expect(told["acquisition_delta"]).toEqual({ items: [], total_atomic: "0", without_reuse_atomic: "790000" })

  const other = await preview(reference, { input_digests: { ...subject, "/amount": digestOf("1") } })
  expect(other["rejected"]).toEqual([{ digest: reference.digest, reason_code: "SUBJECT_DIFFERS" }])
  const { "/amount": _, ...part } = subject
  expect((await preview(reference, { input_digests: part }))["rejected"]).toMatchObject([
    { reason_code: "SUBJECT_NOT_STATED" },
  ])
  expect((await preview(reference, { intent: "CHECK_US_COMPANY" }))["rejected"]).toMatchObject([
    { reason_code: "PRODUCT_DIFFERS" },
  ])
  const guessed = { ...reference, wallet_entry_id: `wal_${"A".repeat(22)}` }
  expect((await preview(guessed, {}))["rejected"]).toMatchObject([{ reason_code: "REFERENCE_NOT_FOUND" }])
})

test("a delivered answer is found by its response digest without a wallet", async () => {
  const capsule = made.companyCheck().capsule
  const responseDigest = digestOf("the response")
  made.elsewhere(
    wallets.service,
    "INSERT INTO delivery (request_id, purchase_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest, key_id, valid_until, computed_at, body, delivered_at, response_digest) VALUES ('drq_p', 'drq_p', 'dec_p', 'dlv_p', '{}', '{}', ?1, ?2, ?3, '', '', '{}', '', ?4)",
    JSON.stringify(capsule),
    capsule.capsule_digest,
    issuerKey.keyId,
    responseDigest,
  )
  const told = await preview(
    { digest: responseDigest, wallet_entry_id: null },
    { intent: "CHECK_US_COMPANY", input_digests: { "": capsule.payload.request_digest } },
  )
  expect(told["rejected"]).toEqual([])
  expect(told["reusable"]).toMatchObject([{ product_id: COMPANY_CHECK_PRODUCT, effect: "REPLACES_PURCHASE" }])
})

test("the first reason against a reference is told, in this order", () => {
  const good: FoundReference = {
    product: PAYMENT_DECISION_PRODUCT,
    decision: "ALLOW",
    validUntil: null,
    isKeyRevoked: false,
    tokenKind: null,
    tokenState: null,
    subject: { "": digestOf("body") },
  }
  const digest = digestOf("artifact")
  const judged = (found: Partial<FoundReference> | null, authorized = true) => {
    const reference = { digest, wallet_entry_id: null, authorized_by_caller: authorized }
    const { reusable, rejected } = judgeReferences(
      [{ reference, found: found && { ...good, ...found } }],
      { productId: PAYMENT_DECISION_PRODUCT, isPaid: true },
      { input_digests: { "": digestOf("body") } },
      START,
    )
    return rejected[0]?.reason_code ?? reusable[0]?.effect
  }
  expect([
    judged({}, false),
    judged(null),
    judged({ validUntil: formatInstant(START), isKeyRevoked: true }),
    judged({ isKeyRevoked: true, decision: "HOLD" }),
    judged({ tokenState: "SPENT" }),
    judged({ decision: "HOLD", product: COMPANY_CHECK_PRODUCT }),
    judged({ product: COMPANY_CHECK_PRODUCT, decision: "APPROVE" }),
    judged({ product: null }),
    judged({ product: PAYEE_VERIFICATION_PRODUCT, decision: "APPROVE" }),
    judged({ subject: { "/amount": digestOf("1") } }),
    judged({ subject: { "": digestOf("another") } }),
    judged({}),
  ]).toEqual([
    "NOT_AUTHORIZED_BY_CALLER",
    "REFERENCE_NOT_FOUND",
    "EXPIRED",
    "REVOKED",
    "REVOKED",
    "DECISION_NOT_POSITIVE",
    "PRODUCT_DIFFERS",
    "PRODUCT_DIFFERS",
    "ACCEPTED_AS_EVIDENCE",
    "SUBJECT_NOT_STATED",
    "SUBJECT_DIFFERS",
    "REPLACES_PURCHASE",
  ])
})
