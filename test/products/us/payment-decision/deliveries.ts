/** Buys decisions and checks each of them against the interface and its own stored facts. */
import { expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import { DecisionResponse } from "../../../../schemas/us/decision-response.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { requestDigest } from "../../../../src/checks/policy/digests.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { instant, MINUTE } from "../../../../src/core/time.ts"
import { without } from "../../../../src/core/without.ts"
import { decide } from "../../../../src/products/us/payment-decision/decide.ts"
import { PAYMENT_DECISION_POLICY } from "../../../../src/products/us/payment-decision/policy.ts"
import type { RequestOptions } from "../../../fixtures/decision.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"
import type { Seller } from "./seller.ts"

export interface Bought {
  readonly request: DecisionRequest
  readonly response: DecisionResponse
  readonly facts: DecisionFacts
}

const MACHINE_ACTION = {
  ALLOW: "RELEASE_PAYMENT",
  ALLOW_WITH_CONDITIONS: "HOLD_PAYMENT",
  HOLD: "HOLD_PAYMENT",
  UNDETERMINED: "HOLD_PAYMENT",
  BLOCK: "BLOCK_PAYMENT",
} as const

/** One payment, one delivery, one record. The answer has every constant of the interface and replays from its facts. */
export async function buyChecked(seller: Seller, options: RequestOptions = {}): Promise<Bought> {
  const before = await seller.state()
  const { request, text, headers } = await seller.buy(freshRequest(options))
  const after = await seller.state()
  expect([after.transfers, after.requests, after.deliveries]).toEqual([
    before.transfers + 1,
    before.requests + 1,
    before.deliveries + 1,
  ])
  expect(headers.get("cache-control")).toBe("private, no-store")
  expect(headers.get("access-control-allow-origin")).toBeNull()
  const response = JSON.parse(text) as DecisionResponse
  requireInterface(request, response, text)
  const stored = await seller.server.database.row<{ facts: string; body: string }>(
    "SELECT facts_json AS facts, body FROM delivery WHERE decision_id = ?1",
    response.decision_id,
  )
  if (!stored) throw new Error("the decision is not stored")
  const facts = JSON.parse(stored.facts) as DecisionFacts
  expect([...Value.Errors(DecisionFacts, facts)]).toEqual([])
  expect(stored.body).toBe(text)
  expect(canonicalize(without(response, "billing", "delivery", "proof_capsule"))).toBe(
    canonicalize(decide(request, facts, PAYMENT_DECISION_POLICY)),
  )
  return { request, response, facts }
}

function requireInterface(request: DecisionRequest, response: DecisionResponse, text: string) {
  expect([...Value.Errors(DecisionResponse, response)]).toEqual([])
  expect(canonicalize(response)).toBe(text)
  expect(response).toMatchObject({
    schema_version: "1.0.0",
    product: "decision-gate.release-payment-to-supplier.v1",
    product_version: "1.0.0",
    policy: { id: "US_DECISION_GATE_RELEASE_PAYMENT_TO_SUPPLIER_V1", version: "1.0.0" },
    decision_cost: { amount: "0.79", amount_atomic: "790000", asset: "USDC", network: "eip155:8453" },
    coverage: {
      jurisdiction: "US",
      scope: "FEDERAL_ONLY",
      state_coverage: "NONE_PHASE_1",
      state_good_standing: "NOT_ASSERTED",
    },
    billing: { charged: true, settlement_state: "SETTLED", charges_for_decision: 1, maximum_charges: 1 },
    replay: { deterministic: true, sources_reexecuted: false, additional_charge: false },
    delivery: { state: "DELIVERED" },
    payment_executed: false,
  })
  expect(response.machine_action).toBe(MACHINE_ACTION[response.decision])
  expect(response.request_digest).toBe(requestDigest(request))
  expect(response.billing.settlement_reference).toMatch(/^eip155:8453\/tx\/0x[0-9a-f]{64}$/)
  expect(response.replay.reference).toEndWith(`/recover#${response.decision_id}`)
  const { response_digest: _, ...delivery } = response.delivery
  expect(response.delivery.response_digest).toBe(digestOf({ ...response, delivery }))
  expect(response.economic_risk.mandatory_verifications_may_be_skipped).toBe(false)
  const lifetime = instant(response.valid_until) - instant(response.valid_as_of)
  expect(lifetime > 0 && lifetime <= 60 * MINUTE).toBe(true)
}

let suppliers = 0

/** A new supplier. Two of one name would be linked. */
export function newSupplier(legal_name?: string): DecisionRequest["supplier"] {
  suppliers++
  return {
    entity_id: `supplier:new-${suppliers}`,
    legal_name: legal_name ?? `Harbor Light Instruments ${suppliers} LLC`,
    identifiers: { uei: `SUPPLYER${String(suppliers).padStart(4, "A")}` },
  }
}

export const HIGH = { policy_id: "buyer-default", tolerance: "HIGH" } as const

/** Sets the organization's own tolerance to the weakest that the requests of a file ask for. */
export async function raiseTolerance(seller: Seller): Promise<void> {
  await seller.sql("UPDATE organization SET tolerance = 'HIGH'")
}

/** Moves the delivered rows two hours into the past, where their authorization has expired. */
export async function age(seller: Seller, { response }: Bought): Promise<void> {
  const past = (text: string) => new Date(instant(text) - 120 * MINUTE).toISOString()
  await seller.sql(
    "UPDATE authorization_record SET decided_at = ?2, valid_until = ?3 WHERE decision_id = ?1",
    response.decision_id,
    past(response.valid_as_of),
    past(response.valid_until),
  )
}
