import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { CapsulePayload } from "../../schemas/us/proof-capsule.ts"
import { canonicalBytes } from "../../src/core/canonical-json.ts"
import { responseDigest } from "../../src/core/capsule/capsule.ts"
import { coreOf } from "../../src/core/capsule/capsule-view.ts"
import { sealCapsule } from "../../src/core/capsule/seal-capsule.ts"
import { digestOf } from "../../src/core/digest.ts"
import { verifySignature } from "../../src/core/ed25519.ts"
import { testKey } from "../fixtures/buyers.ts"
import { deliveredDecision, issuerKey } from "../fixtures/decision.ts"

const { response, bytes, responseDigest: stated, request, facts } = deliveredDecision()
const { proof_capsule: capsule } = response

test("a delivery and its capsule satisfy their closed schemas", () => {
  expect([...Value.Errors(DecisionResponse, response)]).toEqual([])
  expect([...Value.Errors(CapsulePayload, capsule.payload)]).toEqual([])
})

test("the capsule names the digests of core, facts, mandate and itself", () => {
  expect(capsule.payload.core_digest).toBe(digestOf(coreOf(response)))
  expect(capsule.payload.facts_digest).toBe(digestOf(facts))
  expect(capsule.payload.mandate_digest).toBe(request.buyer_mandate.mandate_digest)
  expect(capsule.capsule_digest).toBe(digestOf(capsule.payload))
})

test("the capsule is signed over its canonical payload", () => {
  expect(verifySignature(issuerKey.x, canonicalBytes(capsule.payload), capsule.signature.value)).toBe(true)
})

test("the response digest covers everything except itself", () => {
  expect(response.delivery.response_digest).toBe(stated)
  const { response_digest: _itself, ...delivery } = response.delivery
  expect(digestOf({ ...response, delivery })).toBe(stated)
  expect(responseDigest({ ...response, billing: { ...response.billing, settlement_reference: "x" } })).not.toBe(stated)
})

test("the sent bytes are the canonical form of the response", () => {
  expect(Buffer.from(bytes).equals(Buffer.from(canonicalBytes(response)))).toBe(true)
})

test("a signer of another issuer cannot seal a capsule", () => {
  expect(() => sealCapsule(capsule.payload, testKey("other", 9))).toThrow("different issuers")
})
