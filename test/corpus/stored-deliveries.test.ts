/**
 * Deliveries of earlier builds replay byte for byte, verify and pass the schemas as long as the product is sold. A failure here is a
 * broken promise to a buyer: fix the code, and never change a stored file.
 */

import { describe, expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { DecisionFacts } from "../../schemas/us/decision-facts.ts"
import { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { canonicalBytes, canonicalize } from "../../src/core/canonical-json.ts"
import { coreOfAnswer } from "../../src/core/capsule/answer-view.ts"
import { NATIVE_CRYPTO } from "../../src/core/crypto/native-crypto.ts"
import { type Digest, digestBytes } from "../../src/core/digest.ts"
import { instant, SECOND } from "../../src/core/time.ts"
import { verifyAnswer } from "../../src/offline/kinds/answer.ts"
import { verifyDecision } from "../../src/offline/kinds/decision.ts"
import { verifyPassport } from "../../src/offline/kinds/passport.ts"
import type { Report } from "../../src/offline/report.ts"
import type { VerifyResult } from "../../src/offline/verify-input.ts"
import { answerBundleOf } from "../../src/products/common/answer-bundles.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { bundleBytes } from "../../src/products/us/payment-decision/bundle.ts"
import { paymentDecisionRules } from "../../src/products/us/payment-decision/replay-rules.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { BUILDS, isDecision, issuerKeysOf, replay, type StoredBundle, storedIn } from "./stored-bundle.ts"

const test = slowTests(import.meta.path)

const SCHEMAS = new Map([
  [PAYMENT_DECISION_PRODUCT as string, { request: DecisionRequest, facts: DecisionFacts, answer: DecisionResponse }],
  ...ANSWER_RULES.map(({ id, schemas }) => [id, schemas] as const),
])

const failed = ({ lines }: Report) => lines.filter(({ state }) => state !== "OK" && state !== "NOTE")
const passed = ({ lines }: Report) => lines.filter(({ state }) => state === "OK").map(({ check }) => check)

describe.each(BUILDS)("%s", (build) => {
  const { stored } = storedIn(build)
  const keys = issuerKeysOf(build)

  /** One second after the answer became valid, by the clock of its own day. */
  const judged = (one: StoredBundle) => {
    const { valid_as_of: from } = isDecision(one.bundle) ? one.bundle.delivery : one.bundle.answer
    return { keys, at: instant(from) + SECOND, crypto: NATIVE_CRYPTO, reformatted: false, request: one.bundle.request }
  }
  const verify = (one: StoredBundle, bytes: Uint8Array, capsule?: Uint8Array | null): VerifyResult =>
    isDecision(one.bundle)
      ? verifyDecision({ ...judged(one), bytes }, paymentDecisionRules)
      : verifyAnswer({ ...judged(one), bytes, ...(capsule && { capsule }) }, ANSWER_RULES)

  describe.each(stored.map((one) => [one.product, one.case, one] as const))("%s %s", (product, _, one) => {
    test("replays byte for byte", () => {
      const report = replay(product, one.bytes, keys)
      expect(failed(report)).toEqual([])
      expect(passed(report)).toEqual(expect.arrayContaining(["policy", "decision", "capsule payload", "signature"]))
    })

    test("is exported to the same bytes", () => {
      expect(exportAgain(one)).toEqual(one.bytes)
    })

    test("verifies with the keys of its issuer, as exported and as delivered", () => {
      for (const result of [verify(one, one.bytes), verify(one, one.answer, one.capsule)]) {
        expect(failed(result.report)).toEqual([])
        expect(passed(result.report)).toEqual(expect.arrayContaining(["bytes", "signature", "time"]))
        expect([result.stated?.product, result.stated?.decision]).toEqual([product, one.decision])
      }
    })

    test("passes the schemas of its product", () => {
      const { request, facts } = one.bundle
      const schemas = SCHEMAS.get(product)
      if (!schemas) throw new Error(`${product} is not sold`)
      expect([...Value.Errors(schemas.request, request)]).toEqual([])
      expect([...Value.Errors(schemas.facts, facts)]).toEqual([])
      expect([...Value.Errors(schemas.answer, JSON.parse(new TextDecoder().decode(one.answer)))]).toEqual([])
    })

    test("has the digests of the documents that the buyer got", () => {
      const documents = {
        "bundle.json": one.bytes,
        "answer.json": one.answer,
        "answer.json.capsule": one.capsule,
        "passport.json": one.passport,
      }
      const given = Object.entries(documents).filter(([, bytes]) => bytes !== null)
      const digests = given.map(([kind, bytes]) => [kind, digestBytes(bytes ?? "")])
      expect<Record<string, string>>(Object.fromEntries(digests)).toEqual(one.digests)
    })

    test("does not replay after one byte of its facts is changed", () => {
      const report = replay(product, withOneFactByteChanged(one.bytes), keys)
      expect(report.conclusion).toBe("INVALID")
      expect(failed(report).map(({ check }) => check)).toContain("capsule payload")
    })
  })

  const passports = stored.filter(({ passport }) => passport !== null)
  test.each(passports.map((one) => [one.case, one] as const))(
    "the passport of %s verifies together with its check",
    (_, one) => {
      const { keys: issuer, at } = judged(one)
      const { report } = verifyPassport({
        bytes: one.passport ?? new Uint8Array(),
        keys: issuer,
        at,
        crypto: NATIVE_CRYPTO,
        reformatted: false,
        check: one.answer,
      })
      expect(failed(report)).toEqual([])
      expect(passed(report)).toEqual(expect.arrayContaining(["bytes", "digest", "signature", "time", "check"]))
    },
  )

  test("every answer has its own id", () => {
    const cores = stored.map(({ bundle }) =>
      isDecision(bundle) ? bundle.delivery.decision_id : coreOfAnswer(bundle.answer).execution_id,
    )
    expect(new Set(cores).size).toBe(cores.length)
  })
})

function exportAgain({ bundle, product }: StoredBundle): Uint8Array {
  if (isDecision(bundle)) {
    const { policy_checksum: policyChecksum, issuer_jwks: issuerJwks, ...content } = bundle
    return bundleBytes({ ...content, policyChecksum: policyChecksum as Digest, issuerJwks })
  }
  const stored = {
    product,
    body: canonicalize(bundle.answer),
    capsuleJson: canonicalize(bundle.capsule),
    factsJson: canonicalize(bundle.facts),
    requestJson: canonicalize(bundle.request),
    issuerJwks: bundle.issuer_jwks,
  }
  return canonicalBytes(answerBundleOf(stored))
}

/** Changes the first digit of a list's digest, only inside the facts. The bundle stays canonical and valid under its schema. */
function withOneFactByteChanged(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes)
  const member = '"raw_sha256":"sha256:'
  const at = text.indexOf(member, text.indexOf('"facts":{')) + member.length
  const changed = text[at] === "0" ? "1" : "0"
  return new TextEncoder().encode(text.slice(0, at) + changed + text.slice(at + 1))
}
