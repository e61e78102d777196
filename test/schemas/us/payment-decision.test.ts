import { describe, expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { EligibilityRequest } from "../../../schemas/us/eligibility.ts"
import { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { RecoveryRequest } from "../../../schemas/us/recovery.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { deliveredDecision, signedRequest } from "../../fixtures/decision.ts"

const request = signedRequest()
const { response } = deliveredDecision()
const recovery = {
  request,
  authentication: { issued_at: "2026-11-20T10:00:00Z", nonce: "n".repeat(32), signature: "A".repeat(86) },
}

/** Copies of `document`, each with an extra member in one object, with the pointer of that object. */
function withExtraMember(document: JsonValue): [pointer: string, copy: JsonValue][] {
  const found: [string, JsonValue][] = []
  const visit = (node: JsonValue, pointer: string, rebuild: (changed: JsonValue) => JsonValue): void => {
    if (Array.isArray(node)) {
      node.forEach((item, index) => {
        visit(item, `${pointer}/${index}`, (changed) => rebuild(node.with(index, changed)))
      })
    } else if (node !== null && typeof node === "object") {
      found.push([pointer, rebuild({ ...node, extra_member: "x" })])
      for (const [name, member] of Object.entries(node)) {
        visit(member, `${pointer}/${name}`, (changed) => rebuild({ ...node, [name]: changed }))
      }
    }
  }
  visit(document, "", (changed) => changed)
  return found
}

describe("closed objects", () => {
  const rows: [string, TSchema, unknown][] = [
    ["request", DecisionRequest, request],
    ["recovery request", RecoveryRequest, recovery],
    ["eligibility request", EligibilityRequest, request],
    ["response", DecisionResponse, response],
  ]
  test.each(rows)(
    "no object of the %s accepts another member, except supplier.identifiers",
    (_name, schema, document) => {
      expect([...Value.Errors(schema, document)]).toEqual([])
      const taken = withExtraMember(document as JsonValue).filter(([, copy]) => Value.Check(schema, copy))
      expect(taken.map(([pointer]) => pointer).filter((pointer) => !pointer.endsWith("/supplier/identifiers"))).toEqual(
        [],
      )
    },
  )

  test("every member of the request is required, except legal_name and provider_namespace", () => {
    for (const name of Object.keys(request)) {
      const { [name as "amount"]: _removed, ...rest } = request
      expect([name, Value.Check(DecisionRequest, rest)]).toEqual([name, false])
    }
    const { legal_name: _name, ...supplier } = request.supplier
    const { provider_namespace: _namespace, ...payee } = request.payee
    expect(Value.Check(DecisionRequest, { ...request, supplier, payee })).toBe(true)
  })

  test("only the recovery request may omit the fee payer", () => {
    const { decision_fee_payer: _payer, ...rest } = request
    expect(Value.Check(RecoveryRequest, { ...recovery, request: rest })).toBe(true)
  })

  test("an eligibility request may omit any member, and may be empty", () => {
    expect(Value.Check(EligibilityRequest, {})).toBe(true)
    expect(Value.Check(EligibilityRequest, { payee: { type: "WALLET" } })).toBe(false)
  })
})

describe("limits", () => {
  const identifiers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`id${i}`, "x"]))
  const digest = `sha256:${"0".repeat(64)}`
  test.each<[string, object, object]>([
    ["idempotency_key", { idempotency_key: "k".repeat(120) }, { idempotency_key: "k".repeat(121) }],
    ["a short idempotency_key", { idempotency_key: "k".repeat(8) }, { idempotency_key: "k".repeat(7) }],
    ["economic_purpose", { economic_purpose: "p".repeat(300) }, { economic_purpose: "p".repeat(301) }],
    ["exposure_valuation_basis", { exposure_valuation_basis: "abc" }, { exposure_valuation_basis: "ab" }],
    [
      "evidence_references",
      { evidence_references: Array(128).fill(digest) },
      { evidence_references: Array(129).fill(digest) },
    ],
    ["amount", { amount: "999999999999999999.999999" }, { amount: "1000000000000000000" }],
    ["amount decimals", { amount: "0.000001" }, { amount: "0.0000001" }],
    ["amount form", { amount: "0.5" }, { amount: "00.5" }],
    ["exposure", { payment_exposure_usdc_equivalent_atomic: "1" }, { payment_exposure_usdc_equivalent_atomic: "0" }],
    ["fee payer", { decision_fee_payer: `0x${"a".repeat(40)}` }, { decision_fee_payer: `0x${"a".repeat(39)}` }],
    [
      "identifiers",
      { supplier: { entity_id: "e", identifiers: identifiers(32) } },
      { supplier: { entity_id: "e", identifiers: identifiers(33) } },
    ],
    [
      "freshness",
      { freshness_requirements: { max_age_seconds: 604_800, evaluated_at: "2026-11-20T10:00:00+02:00" } },
      { freshness_requirements: { max_age_seconds: 604_801, evaluated_at: "2026-11-20T10:00:00+02:00" } },
    ],
  ])("%s is accepted up to its published limit and refused beyond it", (_name, inside, outside) => {
    expect(Value.Check(DecisionRequest, { ...request, ...inside })).toBe(true)
    expect(Value.Check(DecisionRequest, { ...request, ...outside })).toBe(false)
  })
})
