import { describe, expect } from "bun:test"
import type { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { responseDigest } from "../../../src/core/capsule/capsule.ts"
import { capsuleViewOfCore, coreOf } from "../../../src/core/capsule/capsule-view.ts"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { signValue } from "../../../src/core/signer.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { HOUR, SECOND } from "../../../src/core/time.ts"
import { without } from "../../../src/core/without.ts"
import { verifyDecision } from "../../../src/offline/kinds/decision.ts"
import { readIssuerKeys } from "../../../src/offline/steps/issuer-keys.ts"
import { DOCUMENT_BYTES_MAX } from "../../../src/offline/steps/read.ts"
import type { VerifyInput } from "../../../src/offline/verify-input.ts"
import { judgeReport } from "../../../src/offline/words/judge-report.ts"
import { paymentDecisionRules } from "../../../src/products/us/payment-decision/replay-rules.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { DECIDED_AT, deliveredDecision, issuerJwks, issuerKey, signedRequest } from "../../fixtures/decision.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { FLIPS, howMany, SEED, sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const delivered = deliveredDecision()
const keys = readIssuerKeys(issuerJwks(), NATIVE_CRYPTO) ?? new Map()

function verify(changes: Partial<VerifyInput> = {}) {
  const input = {
    bytes: delivered.bytes,
    keys,
    at: DECIDED_AT + SECOND,
    crypto: NATIVE_CRYPTO,
    reformatted: false,
    ...changes,
  }
  const { report } = verifyDecision(input, paymentDecisionRules)
  const failed = report.lines.filter(({ state }) => state !== "OK" && state !== "NOTE")
  const isTaken = judgeReport(report).current !== null
  return { conclusion: report.conclusion, isTaken, failed: failed.map((line) => line.check), lines: report.lines }
}

const bytesOf = (value: unknown) => canonicalBytes(value)
const bundle = JSON.parse(Buffer.from(delivered.bundle).toString()) as Record<string, unknown>

describe("a genuine delivery", () => {
  test("is valid, alone and in its bundle, and the report says that billing and delivery are not signed", () => {
    for (const bytes of [delivered.bytes, delivered.bundle]) {
      const { conclusion, failed, lines } = verify({ bytes })
      expect([conclusion, failed]).toEqual(["VALID", []])
      expect(lines).toContainEqual({ check: "billing, delivery", state: "NOTE", detail: "digest only, not signed" })
    }
  })
  test("matches its own request and no other", () => {
    expect(verify({ request: delivered.request }).conclusion).toBe("VALID")
    const other = signedRequest({ request: { amount: "12500.01" } })
    expect(verify({ request: other })).toMatchObject({ conclusion: "INVALID", failed: ["request"] })
    const otherMandate = signedRequest({ mandate: { mandate_id: "mandate-2" } })
    expect(verify({ request: otherMandate })).toMatchObject({ conclusion: "INVALID", failed: ["request"] })
    expect(verify({ request: { intent: "OTHER" } })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["request"] })
  })
  test("passes --require only with that machine action", () => {
    expect(verify({ require: "RELEASE_PAYMENT", environment: "test" }).conclusion).toBe("VALID")
    expect(verify({ require: "RELEASE_PAYMENT" })).toMatchObject({ conclusion: "INVALID", failed: ["environment"] })
    expect(verify({ require: "HOLD_PAYMENT", environment: "test" })).toMatchObject({
      conclusion: "INVALID",
      failed: ["require"],
    })
  })
})

describe("time", () => {
  test("a delivery expires exactly at valid_until", () => {
    expect(verify({ at: DECIDED_AT + HOUR - 1 }).conclusion).toBe("VALID")
    expect(verify({ at: DECIDED_AT + HOUR })).toMatchObject({ conclusion: "INVALID", failed: ["time"] })
  })
  test("a clock thirty seconds behind the service's is accepted, and one further behind is not", () => {
    expect(verify({ at: DECIDED_AT - 30 * SECOND }).conclusion).toBe("VALID")
    expect(verify({ at: DECIDED_AT - 30 * SECOND - 1 })).toMatchObject({ conclusion: "INVALID", failed: ["time"] })
  })
})

describe("issuer keys", () => {
  const withKeys = (jwks: unknown) => verify({ keys: readIssuerKeys(jwks, NATIVE_CRYPTO) ?? new Map() })

  test("an unknown key gives could-not-check, neither valid nor invalid", () => {
    expect(withKeys({ keys: [] })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["signature"] })
    expect(withKeys(issuerJwks(testKey("svc", 8))).conclusion).toBe("NOT_CHECKED")
  })
  test("another key published under the signer's id is rejected", () => {
    const [own] = issuerJwks().keys
    expect(withKeys({ keys: [{ ...own, x: testKey("svc", 8).x }] }).conclusion).toBe("NOT_CHECKED")
  })
  test("a rotated key still counts, and a revoked one makes the delivery invalid", () => {
    expect(withKeys(issuerJwks(issuerKey, { svc_status: "ROTATED" })).conclusion).toBe("VALID")
    const revoked = issuerJwks(issuerKey, { svc_status: "REVOKED", svc_revoked_since: "2026-11-30T00:00:00Z" })
    expect(withKeys(revoked)).toMatchObject({ conclusion: "INVALID", failed: ["key status"] })
  })
  test("a signature outside the key's window is invalid", () => {
    for (const window of [{ nbf: DECIDED_AT / SECOND + 1 }, { exp: DECIDED_AT / SECOND - 1 }]) {
      expect(withKeys(issuerJwks(issuerKey, window))).toMatchObject({ conclusion: "INVALID", failed: ["key window"] })
    }
  })
  test("a key set with private material, or an empty one, is rejected as a whole", () => {
    const [own] = issuerJwks().keys
    expect(readIssuerKeys({ keys: [{ ...own, d: "AAAA" }] }, NATIVE_CRYPTO)).toBeNull()
    expect(readIssuerKeys({ key: [] }, NATIVE_CRYPTO)).toBeNull()
    expect(readIssuerKeys(null, NATIVE_CRYPTO)).toBeNull()
  })
})

describe("documents", () => {
  test("a reformatted copy is invalid unless the caller allows it", () => {
    const pretty = Buffer.from(JSON.stringify(delivered.response, null, 2))
    expect(verify({ bytes: pretty })).toMatchObject({ conclusion: "INVALID", failed: ["bytes"] })
    expect(verify({ bytes: pretty, crypto: NATIVE_CRYPTO, reformatted: true }).conclusion).toBe("VALID")
  })
  test.each([
    ["no JSON", Buffer.from("{"), "NOT_CHECKED"],
    ["a duplicate member", Buffer.from('{"product":"a","product":"b"}'), "NOT_CHECKED"],
    ["an array", Buffer.from("[]"), "NOT_CHECKED"],
    ["another product", bytesOf({ ...delivered.response, product: "other.v1" }), "NOT_CHECKED"],
    ["another version", bytesOf({ ...delivered.response, schema_version: "2.0.0" }), "NOT_CHECKED"],
    ["a bundle of a later format", bytesOf({ ...bundle, format: "svc.delivery-bundle.v99" }), "NOT_CHECKED"],
    ["facts of another format", bytesOf({ ...bundle, format: "svc.delivery-bundle.v1" }), "INVALID"],
    ["an extra member", bytesOf({ ...delivered.response, extra: 1 }), "INVALID"],
    ["a bundle without facts", bytesOf({ format: "svc.delivery-bundle.v1" }), "INVALID"],
    ["a document over the limit", new Uint8Array(DOCUMENT_BYTES_MAX + 1), "NOT_CHECKED"],
  ])("%s is not valid", (_what, bytes, conclusion) => {
    expect(verify({ bytes }).conclusion).toBe(conclusion as "INVALID")
  })
})

describe("forgery", () => {
  const positions = [...delivered.bytes.keys()]
  test(`one flipped bit at ${howMany(positions.length, FLIPS)} bytes of a delivery is never valid`, () => {
    const survivors: number[] = []
    for (const position of sample(positions, FLIPS)) {
      // All bits at every 64th byte, and at the others one bit that changes from byte to byte.
      const bits = position % 64 === 0 ? [0, 1, 2, 3, 4, 5, 6, 7] : [(position * 5 + 3) % 8]
      for (const bit of bits) {
        const bytes = delivered.bytes.slice()
        bytes[position] = (bytes[position] ?? 0) ^ (1 << bit)
        if (verify({ bytes }).isTaken) survivors.push(position)
      }
    }
    expect(survivors, `seed ${SEED}`).toEqual([])
  }, 60_000)

  /** Everything an editor without the key can do: recompute all digests and copy the response into the capsule. */
  function recomputed(edited: JsonValue, alsoCapsule: boolean): Uint8Array {
    const response = structuredClone(edited) as unknown as DecisionResponse
    const digest = digestOf(without(response.economic_risk, "assessment_digest", "assessment_id"))
    response.economic_risk.assessment_digest = digest
    response.economic_risk.assessment_id = `asm_${digest.slice(7, 39)}`
    if (alsoCapsule) {
      const core = coreOf(response)
      response.proof_capsule.payload = {
        ...response.proof_capsule.payload,
        ...capsuleViewOfCore(core, digestOf),
        core_digest: digestOf(core),
      }
    }
    response.proof_capsule.capsule_digest = digestOf(response.proof_capsule.payload)
    response.delivery.response_digest = responseDigest(response)
    return bytesOf(response)
  }

  const outside = edits(delivered.response as unknown as JsonValue).filter(
    ({ pointer }) => !pointer.startsWith("/billing") && !pointer.startsWith("/delivery"),
  )

  test("the edits cover every member outside billing and delivery", () => {
    const members = new Set(outside.map(({ pointer }) => pointer.split("/")[1]))
    const expected = Object.keys(delivered.response).filter((name) => name !== "billing" && name !== "delivery")
    expect([...members].sort()).toEqual(expected.sort())
    expect(outside.length).toBeGreaterThan(500)
  })

  test("no edit outside billing and delivery is valid after recomputing every digest that needs no key", () => {
    const survivors: string[] = []
    for (const { pointer, value } of outside) {
      for (const alsoCapsule of [false, true]) {
        let bytes: Uint8Array
        try {
          bytes = recomputed(value, alsoCapsule)
        } catch (error) {
          // The edit removed a member the recomputation reads; without it there is nothing to recompute.
          if (!(error instanceof TypeError)) throw error
          bytes = bytesOf(value)
        }
        const isUndone = Buffer.compare(bytes, delivered.bytes) === 0
        if (!isUndone && verify({ bytes }).isTaken) survivors.push(pointer)
      }
    }
    expect(survivors).toEqual([])
  }, 60_000)

  test("a capsule digest that differs from the payload's is invalid, though nothing else depends on it", () => {
    const forged = structuredClone(delivered.response)
    forged.proof_capsule.capsule_digest = digestOf("other")
    forged.delivery.response_digest = responseDigest(forged)
    expect(verify({ bytes: bytesOf(forged) })).toMatchObject({ conclusion: "INVALID", failed: ["capsule digest"] })
  })

  test("a capsule signed by another key under the issuer's key id is invalid", () => {
    const { payload } = delivered.response.proof_capsule
    const forged = structuredClone(delivered.response)
    forged.proof_capsule.signature.value = signValue(testKey("svc", 8), payload).value
    forged.delivery.response_digest = responseDigest(forged)
    expect(verify({ bytes: bytesOf(forged) })).toMatchObject({ conclusion: "INVALID", failed: ["signature"] })
  })

  test("a recomputed edit of billing or delivery goes undetected, and the report says so", () => {
    const edited = structuredClone(delivered.response)
    edited.billing.settlement_reference = "eip155:8453/tx/0xother"
    edited.delivery.response_digest = responseDigest(edited)
    expect(verify({ bytes: bytesOf(edited) }).conclusion).toBe("VALID")
  })

  test.each([
    ["facts", "bundled facts", (bundle: Bundle) => ({ ...bundle, facts: { ...bundle.facts, base_url: "https://x" } })],
    ["snapshots", "bundled snapshots", (bundle: Bundle) => ({ ...bundle, snapshots: bundle.snapshots.slice(1) })],
    ["policy checksum", "policy", (bundle: Bundle) => ({ ...bundle, policy_checksum: digestOf("other") })],
    ["request", "bundled request", (bundle: Bundle) => ({ ...bundle, request: { ...bundle.request, amount: "1" } })],
  ] as const)("an edited %s of a bundle is invalid", (_what, check, edit) => {
    const bundle = JSON.parse(Buffer.from(delivered.bundle).toString()) as Bundle
    expect(verify({ bytes: bytesOf(edit(bundle)) })).toMatchObject({ conclusion: "INVALID", failed: [check] })
  })
})

interface Bundle {
  facts: object
  request: object
  snapshots: unknown[]
  policy_checksum: string
}
