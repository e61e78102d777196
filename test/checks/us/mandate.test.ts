import { expect, test } from "bun:test"
import type { MandatePayload } from "../../../schemas/us/mandate.ts"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { CLOCK_SKEW_MS } from "../../../src/checks/us/delegation.ts"
import { type MandateContext, mandateFault } from "../../../src/checks/us/mandate.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"

const AT = Date.UTC(2026, 0, 10)
const ORGANIZATION = "org:example:acme"
const AGENT = `svc:agent:${"a".repeat(32)}`
const REQUEST_DIGEST = digestOf("request")

const payload = (changes: Partial<MandatePayload> = {}): MandatePayload => ({
  schema_version: "1.0.0",
  mandate_id: "mandate:1",
  mandate_version: "1.0.0",
  issuer: ORGANIZATION,
  subject_agent_id: AGENT,
  buyer_organization: ORGANIZATION,
  supplier_entity_id: "supplier:1",
  key_id: "key-1",
  buyer_organization_digest: digestOf(ORGANIZATION),
  request_digest: REQUEST_DIGEST,
  payee_fingerprint: digestOf("payee"),
  permitted_intent: "RELEASE_PAYMENT_TO_SUPPLIER",
  max_payment_amount: "100.50",
  currency: "USD",
  max_decision_fee_atomic: "790000",
  valid_from: formatInstant(AT - DAY),
  valid_until: formatInstant(AT + DAY),
  nonce: "n".repeat(16),
  revocation_reference: "https://example.test/revocations/1",
  ...changes,
})

/** Only the members that the check reads. The schema tests cover the whole request. */
function request(signed: MandatePayload, signature: { issuer?: string; key_id?: string } = {}): DecisionRequest {
  return {
    intent: "RELEASE_PAYMENT_TO_SUPPLIER",
    requesting_agent: { agent_id: AGENT, key_id: "agent-key", request_signature: "" },
    buyer: { organization_id: ORGANIZATION, organization_digest: digestOf(ORGANIZATION) },
    buyer_mandate: {
      payload: signed,
      mandate_digest: digestOf(signed),
      signature: { issuer: signed.issuer, key_id: signed.key_id, ...signature },
    },
    supplier: { entity_id: "supplier:1", identifiers: {} },
    amount: "100.500000",
    currency: "USD",
    payee: { type: "WALLET", value: "w", fingerprint: digestOf("payee") },
  } as unknown as DecisionRequest
}

const organization: MandateContext = {
  requestDigest: REQUEST_DIGEST,
  at: AT,
  signerKind: "ORGANIZATION",
  signerAgentId: null,
}
const judge = (signed: MandatePayload, context: Partial<MandateContext> = {}) =>
  mandateFault(signed, request(signed), { ...organization, ...context })

test("a mandate whose members all match, exactly at its limits, covers the request", () => {
  expect(judge(payload())).toBeNull()
})

test("a mandate with any member that does not match the request is not bound", () => {
  const other = digestOf("other")
  const rows: Partial<MandatePayload>[] = [
    { request_digest: other },
    { buyer_organization: "org:other" },
    { buyer_organization_digest: other },
    { subject_agent_id: `svc:agent:${"b".repeat(32)}` },
    { supplier_entity_id: "supplier:2" },
    { payee_fingerprint: other },
    { currency: "EUR" },
    { issuer: "org:other" },
    { issuer: AGENT },
  ]
  for (const changes of rows) expect([changes, judge(payload(changes))]).toEqual([changes, "MANDATE_NOT_BOUND"])
})

test("the signature and the payload must name the same issuer and key", () => {
  const signed = payload()
  expect(mandateFault(signed, request(signed, { issuer: "org:other" }), organization)).toBe("MANDATE_NOT_BOUND")
  expect(mandateFault(signed, request(signed, { key_id: "key-2" }), organization)).toBe("MANDATE_NOT_BOUND")
})

test("a delegated key issues in its agent's name, never in the organization's name", () => {
  const signer = `svc:agent:${"c".repeat(32)}`
  const delegated = { signerKind: "DELEGATED", signerAgentId: signer } as const
  expect(judge(payload({ issuer: signer }), delegated)).toBeNull()
  expect(judge(payload({ issuer: AGENT }), delegated)).toBe("MANDATE_NOT_BOUND")
  expect(judge(payload(), delegated)).toBe("MANDATE_NOT_BOUND")
  expect(judge(payload({ issuer: signer }))).toBe("MANDATE_NOT_BOUND")
})

test("amount and fee limits are compared as numbers, not as text", () => {
  const rows: readonly [Partial<MandatePayload>, string | null][] = [
    [{ max_payment_amount: "100.499999" }, "MANDATE_LIMIT_EXCEEDED"],
    [{ max_payment_amount: "99999" }, null],
    [{ max_decision_fee_atomic: "789999" }, "MANDATE_LIMIT_EXCEEDED"],
    [{ max_decision_fee_atomic: "0000790000" }, null],
    [{ max_decision_fee_atomic: "9".repeat(78) }, null],
  ]
  for (const [changes, fault] of rows) expect(judge(payload(changes))).toBe(fault as ReturnType<typeof judge>)
})

test("the window opens 30 s early to allow for clock skew and never closes late", () => {
  const rows: readonly [at: number, fault: string | null][] = [
    [AT - DAY - CLOCK_SKEW_MS - 1, "MANDATE_NOT_CURRENT"],
    [AT - DAY - CLOCK_SKEW_MS, null],
    [AT + DAY - 1, null],
    [AT + DAY, "MANDATE_NOT_CURRENT"],
  ]
  for (const [at, fault] of rows) expect([at, judge(payload(), { at })]).toEqual([at, fault as "MANDATE_NOT_CURRENT"])
})

test("of several faults the first in order is returned", () => {
  expect(judge(payload({ currency: "EUR", max_payment_amount: "1" }), { at: AT + DAY })).toBe("MANDATE_NOT_BOUND")
  expect(judge(payload({ max_payment_amount: "1" }), { at: AT + DAY })).toBe("MANDATE_LIMIT_EXCEEDED")
})
