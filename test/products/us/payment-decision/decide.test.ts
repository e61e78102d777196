import { describe, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import { DecisionCore } from "../../../../schemas/us/decision-response.ts"
import { DecisionRequest, type Tolerance } from "../../../../schemas/us/payment-decision.ts"
import { requestDigest } from "../../../../src/checks/policy/digests.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { ANSWER } from "../../../../src/products/us/payment-decision/core-response.ts"
import { decide } from "../../../../src/products/us/payment-decision/decide.ts"
import { PAYMENT_DECISION_POLICY as POLICY } from "../../../../src/products/us/payment-decision/policy.ts"
import {
  BASE_URL,
  DECIDED_AT,
  decisionFacts,
  SOURCE_IDS,
  signedRequest,
  sourceFact,
} from "../../../fixtures/decision.ts"
import { type Draft, FAULTS, inputWith } from "./faults.ts"

const only = (code: string, tolerance: Tolerance) => decideInput(inputWith([code], tolerance))
const decideInput = ({ request, facts }: Draft) => decide(request, facts, POLICY)

describe("precedence", () => {
  test.each(FAULTS.map(({ code }, index) => [code, index] as const))(
    "with all earlier reasons fixed, %s comes first",
    (code, index) => {
      const core = decideInput(
        inputWith(
          FAULTS.slice(index).map((fault) => fault.code),
          "LOW",
        ),
      )
      const row = POLICY.reasons.find((reason) => reason.code === code)
      expect(core.reason_codes[0]).toBe(code)
      expect(core.reason_codes).toEqual(
        FAULTS.slice(index).flatMap((fault) => (shows(fault.code, index) ? [fault.code] : [])),
      )
      expect(core.decision).toBe(ANSWER[row?.outcome ?? "PASS"].decision)
      expect(core.machine_action).toBe(ANSWER[row?.outcome ?? "PASS"].machineAction)
    },
  )

  /** States that exclude each other: a screening has one state, a registration one result, a destination one history. */
  const HIDDEN_BY: Readonly<Record<string, readonly string[]>> = {
    RESTRICTED_PARTY_POSSIBLE_MATCH: ["RESTRICTED_PARTY_MATCH"],
    RESTRICTED_PARTY_PROGRAM_CONDITION: ["RESTRICTED_PARTY_MATCH", "RESTRICTED_PARTY_POSSIBLE_MATCH"],
    REGISTRATION_NOT_FOUND: ["SUPPLIER_NAME_MISMATCH"],
    IDENTITY_ATTESTED_ONLY: ["SUPPLIER_NAME_MISMATCH", "REGISTRATION_NOT_FOUND"],
    FIRST_PAYMENT_TO_DESTINATION: ["DESTINATION_CHANGED_WITHOUT_AUTHORIZATION"],
  }
  function shows(code: string, from: number): boolean {
    const present = FAULTS.slice(from).map((fault) => fault.code)
    return !(HIDDEN_BY[code] ?? []).some((hider) => present.includes(hider))
  }

  test("with everything fixed the answer is ALLOW and permits the release", () => {
    const core = decideInput(inputWith([], "LOW"))
    expect(core.reason_codes).toEqual(["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"])
    expect([core.decision, core.machine_action]).toEqual(["ALLOW", "RELEASE_PAYMENT"])
    expect(core.conditions).toEqual([])
    expect(core.remediation).toEqual([])
  })

  test("every decision under the second rules states the limit of its coverage; under the first only an ALLOW does", () => {
    for (const [codes, said] of [
      [["SUPPLIER_NAME_MISMATCH"], ["SUPPLIER_NAME_MISMATCH", "LIMITED_COVERAGE"]],
      [[], ["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"]],
    ] as const) {
      const { request, facts } = inputWith(codes, "LOW")
      expect(decide(request, { ...facts, rules: 2 }, POLICY).reason_codes).toEqual([...said])
    }
    expect(only("SUPPLIER_NAME_MISMATCH", "LOW").reason_codes).toEqual(["SUPPLIER_NAME_MISMATCH"])
  })

  test("the walk visits every code that can stop a payment, in the order of the policy", () => {
    const rows = POLICY.reasons.filter((row) => row.tolerances.includes("LOW") && row.outcome !== "PASS")
    expect(FAULTS.map((fault) => fault.code)).toEqual(rows.map((row) => row.code))
  })
})

describe("reasons", () => {
  const rows = POLICY.reasons
    .filter((row) => row.gate !== "DECISION")
    .flatMap((row) => row.tolerances.map((tolerance) => [row.code, tolerance, row] as const))
  test.each(rows)("%s is earned alone at tolerance %s with its row's outcome", (code, tolerance, row) => {
    const core = only(code, tolerance)
    const check = core.checks_executed.find((entry) => entry.check_id === row.gate)
    expect(check?.outcome).toBe(row.outcome)
    expect(check?.reason_codes).toEqual(row.outcome === "PASS" ? [] : [code])
    expect(check?.evidence_ids.length).toBeGreaterThan(0)
    expect(core.decision).toBe(ANSWER[row.outcome].decision)
    expect(core.conditions).toEqual(row.outcome === "CONDITION" ? [row.remediation] : [])
    expect(core.remediation).toEqual(row.outcome === "PASS" ? [] : [row.remediation])
    expect(Value.Check(DecisionCore, core)).toBe(true)
  })

  test("a code of the policy appears at most once per tolerance", () => {
    for (const tolerance of ["LOW", "MEDIUM", "HIGH"] as const) {
      const codes = POLICY.reasons.filter((row) => row.tolerances.includes(tolerance)).map((row) => row.code)
      expect(new Set(codes).size).toBe(codes.length)
    }
  })

  test("every risk prior names a code of the policy", () => {
    const codes = new Set(POLICY.reasons.map((row) => row.code))
    expect(POLICY.thresholds.risk_priors.filter((prior) => !codes.has(prior.signal))).toEqual([])
  })

  test("the stricter of request and buyer record decides, in both directions", () => {
    const request = signedRequest({ request: { risk_policy: { policy_id: "p", tolerance: "HIGH" } } })
    const first = { known_destinations: [] }
    const decideAt = (buyer_tolerance: Tolerance) =>
      decide(request, decisionFacts(request, { ...first, buyer_tolerance }), POLICY)
    expect(decideAt("HIGH").decision).toBe("ALLOW")
    expect(decideAt("HIGH").risk_signals).toEqual(["FIRST_PAYMENT_TO_DESTINATION"])
    expect(decideAt("MEDIUM").decision).toBe("ALLOW_WITH_CONDITIONS")
    expect(decideAt("LOW").decision).toBe("HOLD")
  })

  test("an aging list is uncertainty and a limitation at every tolerance", () => {
    for (const tolerance of ["LOW", "MEDIUM", "HIGH"] as const) {
      const core = only("SOURCE_AGING", tolerance)
      expect(core.uncertainty).toEqual({ present: true, reason_codes: ["SOURCE_AGING"] })
      expect(core.coverage.limitations).toContain("SOURCE_AGING")
    }
  })
})

describe("the answer's other members", () => {
  const request = signedRequest()
  const facts = decisionFacts(request)
  const core = decide(request, facts, POLICY)

  test("fixtures and answer satisfy their closed schemas", () => {
    expect([...Value.Errors(DecisionRequest, request)]).toEqual([])
    expect([...Value.Errors(DecisionFacts, facts)]).toEqual([])
    expect([...Value.Errors(DecisionCore, core)]).toEqual([])
  })
  test("the answer accounts for six checks, executed or waived", () => {
    const ids = [...core.checks_executed, ...core.checks_waived].map((check) => check.check_id)
    expect(ids.sort()).toEqual([...core.economic_risk.mandatory_verifications].sort())
    expect(core.checks_waived.map((check) => check.reason)).toEqual(["DESTINATION_UNCHANGED", "NO_PRIOR_AUTHORIZATION"])
  })
  test("valid_until is the earliest end of all that the answer depends on", () => {
    const until = (changes: Parameters<typeof decisionFacts>[1]) =>
      decide(request, decisionFacts(request, changes), POLICY).valid_until
    const soon = formatInstant(DECIDED_AT + 10 * MINUTE)
    expect(until({})).toBe(formatInstant(DECIDED_AT + HOUR))
    expect(until({ mandate: { state: "ACTIVE", valid_until: soon } })).toBe(soon)
    expect(until({ delegation: { state: "ACTIVE", valid_until: soon } })).toBe(soon)
    expect(until({ sources: SOURCE_IDS.map((id) => sourceFact(id, { stale_at: soon })) })).toBe(soon)
    const short = signedRequest({ mandate: { valid_until: soon } })
    const longer = { state: "ACTIVE" as const, valid_until: formatInstant(DECIDED_AT + DAY) }
    expect(decide(short, decisionFacts(short, { mandate: longer }), POLICY).valid_until).toBe(soon)
  })
  test("the replay member names the decision at the recover route and charges nothing", () => {
    expect(core.replay).toEqual({
      reference: `${BASE_URL}/v1/us/decision-gates/release-payment-to-supplier/recover#${facts.decision_id}`,
      deterministic: true,
      sources_reexecuted: false,
      additional_charge: false,
    })
    expect(core.payment_executed).toBe(false)
    expect(core.request_digest).toBe(requestDigest(request))
  })
  test("every evidence id a check names is in the bundle", () => {
    const known = new Set(core.evidence_bundle.references)
    const used = core.checks_executed.flatMap((check) => check.evidence_ids)
    expect(used.filter((id) => !known.has(id))).toEqual([])
    expect(core.evidence_bundle.references).toEqual([...core.evidence_bundle.references].sort())
  })
  test("an exposure within one percent is no condition, and one unit above it is", () => {
    const codes = (exposure: string, currency = "USD") => {
      const requests = signedRequest({ request: { payment_exposure_usdc_equivalent_atomic: exposure, currency } })
      return decide(requests, decisionFacts(requests), POLICY).reason_codes
    }
    expect(codes("12625000000")).not.toContain("EXPOSURE_DIFFERS_FROM_AMOUNT")
    expect(codes("12625000001")).toContain("EXPOSURE_DIFFERS_FROM_AMOUNT")
    expect(codes("12374999999")).toContain("EXPOSURE_DIFFERS_FROM_AMOUNT")
    expect(codes("1", "EUR")).not.toContain("EXPOSURE_DIFFERS_FROM_AMOUNT")
  })
})

test("unknown identifiers are digested with the request and named in the coverage", () => {
  const { supplier } = signedRequest()
  const identifiers = { ...supplier.identifiers, "Réf.": "17", Website: "https://supplier.example" }
  const request = signedRequest({ request: { supplier: { ...supplier, identifiers } } })
  const core = decide(request, decisionFacts(request), POLICY)
  expect(core.request_digest).toBe(requestDigest(request))
  expect(core.request_digest).not.toBe(requestDigest(signedRequest()))
  expect(core.coverage.limitations.slice(-2)).toEqual(["IDENTIFIER_NOT_USED:R%C3%A9f.", "IDENTIFIER_NOT_USED:Website"])
})
