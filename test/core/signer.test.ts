import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { SignatureObject } from "../../schemas/common.ts"
import { canonicalBytes } from "../../src/core/canonical-json.ts"
import { digestOf } from "../../src/core/digest.ts"
import { keyFromSeed, verifySignature } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { signedAnswer, signValue } from "../../src/core/signer.ts"

const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(11))
const signer = { issuer: "svc", keyId: keyIdOf(x), privateKey }

test("a signature object has the published shape and covers exactly the canonical bytes", () => {
  const value = { domain: "svc.example.v1", b: 1, a: [true, null] }
  const signature = signValue(signer, value)
  expect(Value.Check(SignatureObject, signature)).toBe(true)
  expect(signature.key_id).toBe(signer.keyId)
  expect(verifySignature(x, canonicalBytes({ a: [true, null], b: 1, domain: "svc.example.v1" }), signature.value)).toBe(
    true,
  )
  expect(verifySignature(x, canonicalBytes({ ...value, b: 2 }), signature.value)).toBe(false)
})

test("a signed answer contains only the payload, its digest and its signature", () => {
  const payload = { domain: "svc.example.v1" }
  const answer = signedAnswer(signer, payload)
  expect(Object.keys(answer).sort()).toEqual(["digest", "payload", "signature"])
  expect(answer.payload).toBe(payload)
  expect(answer.digest).toBe(digestOf(payload))
  expect(verifySignature(x, canonicalBytes(payload), answer.signature.value)).toBe(true)
})

test("a value without a canonical form is not signed", () => {
  expect(() => signValue(signer, { at: undefined })).toThrow(TypeError)
})
