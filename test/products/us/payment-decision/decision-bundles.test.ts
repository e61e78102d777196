import { describe, expect } from "bun:test"
import type { DeliveryBundle } from "../../../../schemas/us/delivery-bundle.ts"
import { canonicalBytes, canonicalize } from "../../../../src/core/canonical-json.ts"
import { capsulePayload } from "../../../../src/core/capsule/capsule.ts"
import { coreOf } from "../../../../src/core/capsule/capsule-view.ts"
import { NATIVE_CRYPTO } from "../../../../src/core/crypto/native-crypto.ts"
import { type IssuerKeys, readIssuerKeys } from "../../../../src/offline/steps/issuer-keys.ts"
import { replayBundle } from "../../../../src/products/common/replay-bundle.ts"
import { decisionBundles } from "../../../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../../../src/products/us/payment-decision/replay-rules.ts"
import { testKey } from "../../../fixtures/buyers.ts"
import { deliveredDecision, issuerJwks } from "../../../fixtures/decision.ts"
import { FLIPS, howMany, SEED, sample } from "../../../fixtures/long.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { FAULTS, inputWith } from "./faults.ts"

const test = slowTests(import.meta.path)

const delivered = deliveredDecision()
const keys = readIssuerKeys(issuerJwks(), NATIVE_CRYPTO)

function replay(bytes: Uint8Array, given: IssuerKeys | null = keys) {
  const report = replayBundle(bytes, given, decisionBundles(paymentDecisionRules))
  const failed = report.lines.filter((line) => line.state === "INVALID" || line.state === "UNCHECKED")
  return { conclusion: report.conclusion, failed: failed.map((line) => line.check), lines: report.lines }
}

function edited(edit: (bundle: DeliveryBundle) => void): Uint8Array {
  const bundle = JSON.parse(Buffer.from(delivered.bundle).toString()) as DeliveryBundle
  edit(bundle)
  return canonicalBytes(bundle)
}

describe("replay", () => {
  test("reproduces a decision of every reason byte for byte from its exported bundle", () => {
    for (const codes of [[], FAULTS.map((fault) => fault.code), ...FAULTS.map((fault) => [fault.code])]) {
      const { request, facts } = inputWith(codes, "LOW")
      const { bundle, response } = deliveredDecision(request, facts)
      expect([codes, replay(bundle).failed]).toEqual([codes, []])
      const read = JSON.parse(Buffer.from(bundle).toString()) as DeliveryBundle
      const again = paymentDecisionRules.decide(read.request, read.facts, response.policy)
      expect(canonicalize(again)).toBe(canonicalize(coreOf(response)))
      if (again) {
        const payload = canonicalize(capsulePayload(again, read.request, read.facts))
        expect(payload).toBe(canonicalize(response.proof_capsule.payload))
      }
    }
  })

  test("uses the bundle's own issuer keys when none are given, and reports how little that proves", () => {
    const { conclusion, lines } = replay(delivered.bundle, null)
    expect(conclusion).toBe("VALID")
    expect(lines.find((line) => line.check === "issuer keys")?.detail).toContain("not who made it")
  })

  test("leaves the signature unchecked when the given issuer keys lack the signer's key", () => {
    const others = readIssuerKeys(issuerJwks(testKey("svc", 8)), NATIVE_CRYPTO)
    expect(replay(delivered.bundle, others)).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["signature"] })
  })

  test("cannot replay a delivery without facts", () => {
    expect(replay(delivered.bytes)).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["facts"] })
  })

  test("reports could-not-check for a policy version this program lacks", () => {
    const rules = { ...paymentDecisionRules, policies: [], decide: () => null }
    expect(replayBundle(delivered.bundle, keys, decisionBundles(rules)).conclusion).toBe("NOT_CHECKED")
  })

  test.each([
    [
      "the decision",
      ["decision", "response digest"],
      (b: DeliveryBundle) => {
        b.delivery.decision = "HOLD"
      },
    ],
    [
      "a fact that decides",
      ["decision", "capsule payload"],
      (b: DeliveryBundle) => {
        b.facts.mandate.state = "REVOKED"
      },
    ],
    [
      "a fact nothing looks at",
      ["capsule payload"],
      (b: DeliveryBundle) => {
        b.facts.delivery_reference = "dlv_other"
      },
    ],
    [
      "the request signature",
      ["decision", "capsule payload"],
      (b: DeliveryBundle) => {
        b.request.requesting_agent.request_signature = "other"
      },
    ],
    [
      "a date that does not exist",
      ["schema"],
      (b: DeliveryBundle) => {
        b.facts.at = "2026-02-30T00:00:00Z"
      },
    ],
    [
      "the policy checksum",
      ["policy"],
      (b: DeliveryBundle) => {
        b.policy_checksum = `sha256:${"0".repeat(64)}`
      },
    ],
    [
      "the settlement",
      ["response digest"],
      (b: DeliveryBundle) => {
        b.delivery.billing.settlement_reference = "x"
      },
    ],
  ])("detects an edit of %s", (_what, failed, edit) => {
    expect(replay(edited(edit))).toMatchObject({ conclusion: "INVALID", failed })
  })

  test("names a date that does not exist by its pointer, and repeats no other text of the file", () => {
    const schemaLine = (bytes: Uint8Array) => replay(bytes).lines.find(({ check }) => check === "schema")?.detail
    const dated = edited((bundle) => {
      bundle.facts.at = "2026-02-30T00:00:00Z"
    })
    expect(schemaLine(dated)).toBe("not a bundle of its format; look at /facts/at")
    const named = edited((bundle) => Object.assign(bundle.facts, { "\u001b[2J": "x" }))
    expect(schemaLine(named)).toBe("not a bundle of its format")
  })

  const facts = Buffer.from(canonicalBytes(delivered.facts))
  test(`one flipped bit at ${howMany(facts.length, FLIPS)} bytes of the stored facts never replays`, () => {
    const start = Buffer.from(delivered.bundle).indexOf(facts)
    expect(start).toBeGreaterThan(0)
    const survivors: number[] = []
    for (const offset of sample([...facts.keys()], FLIPS)) {
      const position = start + offset
      const bytes = delivered.bundle.slice()
      bytes[position] = (bytes[position] ?? 0) ^ (1 << ((position * 5 + 3) % 8))
      if (replay(bytes).conclusion === "VALID") survivors.push(position)
    }
    expect(survivors, `seed ${SEED}`).toEqual([])
  }, 60_000)
})
