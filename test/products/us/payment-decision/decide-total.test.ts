import { describe, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { DecisionCore } from "../../../../schemas/us/decision-response.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { decide } from "../../../../src/products/us/payment-decision/decide.ts"
import { PAYMENT_DECISION_POLICY as POLICY } from "../../../../src/products/us/payment-decision/policy.ts"
import {
  DECIDED_AT,
  decisionFacts,
  earlierDecision,
  SOURCE_IDS,
  screeningHit,
  screeningOf,
  signedRequest,
  sourceFact,
} from "../../../fixtures/decision.ts"
import { runs } from "../../../fixtures/long.ts"

describe("totality", () => {
  const request = signedRequest()
  const time = fc.integer({ min: -10 * DAY, max: 10 * DAY }).map((offset) => formatInstant(DECIDED_AT + offset))
  const digest = fc.constantFrom<string>(
    request.payee.fingerprint,
    request.invoice.document_digest,
    request.payment_instruction_digest,
    digestOf("other"),
  )
  const hit = fc.constantFrom(
    screeningHit(),
    screeningHit({ tier: "BLOCK", source_id: "US_TRADE_CSL", entry_id: "a:b" }),
  )
  const screening = fc
    .record({
      state: fc.constantFrom(
        "CLEAR",
        "POSSIBLE_MATCH",
        "MATCH",
        "PROGRAM_CONDITION",
        "SCRIPT_UNSUPPORTED",
        "INSUFFICIENT",
      ),
      hits: fc.array(hit, { maxLength: 3 }),
    } as const)
    .map(({ state, hits }) => screeningOf(state, hits))
  const facts = fc.record({
    at: time,
    sources: fc.array(
      fc
        .record({
          source_id: fc.constantFrom(...SOURCE_IDS, "OTHER"),
          health: fc.constantFrom("HEALTHY", "STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"),
          freshness: fc.constantFrom("FRESH", "AGING", "STALE"),
          stale_at: time,
          retrieved_at: time,
        } as const)
        .map(({ source_id, ...rest }) => sourceFact(source_id, rest)),
      { maxLength: 6 },
    ),
    screening,
    wallet_hits: fc.record({ payee: fc.option(hit), payment_destination: fc.option(hit) }),
    registration: fc.option(
      fc.record({
        source_id: fc.string(),
        snapshot_id: fc.string(),
        found: fc.boolean(),
        name_agrees: fc.boolean(),
      }),
    ),
    buyer_tolerance: fc.constantFrom("LOW", "MEDIUM", "HIGH"),
    mandate: fc.record({ state: fc.constantFrom("ACTIVE", "REVOKED"), valid_until: time }),
    delegation: fc.record({ state: fc.constantFrom("ACTIVE", "REVOKED"), valid_until: time }),
    earlier_decisions: fc.array(
      fc
        .record({
          decision: fc.constantFrom("ALLOW", "ALLOW_WITH_CONDITIONS", "HOLD", "BLOCK", "UNDETERMINED"),
          obligation_key: fc.constantFrom("inv-2026-0042", "other"),
          document_digest: digest,
          payment_instruction_digest: digest,
          decided_at: time,
          valid_until: time,
        } as const)
        .map((changes) => earlierDecision(request, changes)),
      { maxLength: 4 },
    ),
    known_destinations: fc.array(
      fc.record({
        fingerprint: digest,
        basis: fc.constantFrom("ALLOW", "CHANGE_AUTHORIZATION", "PAYEE_VERIFICATION"),
        reference: digest,
        recorded_at: time,
      } as const),
      { maxLength: 4 },
    ),
    resolved_references: fc.array(
      fc.record({
        reference: digest,
        kind: fc.constantFrom("DECISION", "CHANGE_AUTHORIZATION", "PAYEE_VERIFICATION"),
        payee_fingerprint: digest,
        destination_fingerprint: digest,
        decided_at: time,
      } as const),
      { maxLength: 4 },
    ),
    prior_authorization: fc.option(
      fc.record({ decision_id: fc.string(), response_digest: digest, decided_at: time, screening }),
    ),
  } as const)

  test("any facts of the schema give one answer of the schema, the same one every time", () => {
    fc.assert(
      fc.property(facts, (changes) => {
        const given = decisionFacts(request, changes)
        const before = canonicalize(given)
        const core = decide(request, given, POLICY)
        expect([...Value.Errors(DecisionCore, core)]).toEqual([])
        expect(canonicalize(decide(request, structuredClone(given), POLICY))).toBe(canonicalize(core))
        expect(canonicalize(given)).toBe(before)
        expect(core.reason_codes.length).toBeGreaterThan(0)
        expect(core.machine_action === "RELEASE_PAYMENT").toBe(core.decision === "ALLOW")
      }),
      { numRuns: runs(400) },
    )
  })

  test("no facts with a listed party, a listed wallet or a revoked mandate ever give a release", () => {
    fc.assert(
      fc.property(facts, fc.constantFrom("screening", "wallet", "mandate"), (changes, which) => {
        const worse =
          which === "screening"
            ? { screening: screeningOf("MATCH", [screeningHit({ tier: "BLOCK" })]) }
            : which === "wallet"
              ? { wallet_hits: { payee: screeningHit(), payment_destination: null } }
              : { mandate: { state: "REVOKED" as const, valid_until: formatInstant(DECIDED_AT + DAY) } }
        const core = decide(request, decisionFacts(request, { ...changes, ...worse }), POLICY)
        expect(core.machine_action).not.toBe("RELEASE_PAYMENT")
      }),
      { numRuns: runs(200) },
    )
  })
})
