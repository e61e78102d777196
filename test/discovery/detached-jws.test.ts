import { expect, test } from "bun:test"
import { decodeProtectedHeader, flattenedVerify, importJWK } from "jose"
import { canonicalBytes, canonicalize } from "../../src/core/canonical-json.ts"
import { keyFromSeed, verifySignature } from "../../src/core/ed25519.ts"
import { detachedJws } from "../../src/discovery/detached-jws.ts"

const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(5))
const signer = { issuer: "svc", keyId: "ed25519-5", privateKey }
const key = await importJWK({ kty: "OKP", crv: "Ed25519", x }, "EdDSA")
const payload = { b: [1, "é"], a: { c: null } }
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url")

test("jose verifies the signature over the canonical payload, and reads alg, kid and the given members from the header", async () => {
  const jws = detachedJws(signer, { typ: "JOSE", jku: "https://svc.example/jwks" }, payload)
  expect(decodeProtectedHeader(jws)).toEqual({
    alg: "EdDSA",
    kid: "ed25519-5",
    typ: "JOSE",
    jku: "https://svc.example/jwks",
  })
  const verified = await flattenedVerify({ ...jws, payload: base64url(canonicalBytes(payload)) }, key)
  expect(new TextDecoder().decode(verified.payload)).toBe(canonicalize(payload))
})

test("jose rejects the signature for another payload and for another header", async () => {
  const jws = detachedJws(signer, { typ: "JOSE" }, payload)
  const other = detachedJws(signer, { typ: "JOSE", jku: "https://elsewhere.example" }, payload)
  const signed = base64url(canonicalBytes(payload))
  const changed = base64url(canonicalBytes({ ...payload, b: [2, "é"] }))
  await expect(flattenedVerify({ ...jws, payload: changed }, key)).rejects.toThrow("signature verification failed")
  await expect(flattenedVerify({ ...jws, protected: other.protected, payload: signed }, key)).rejects.toThrow(
    "signature verification failed",
  )
})

test("the signature is not valid for the canonical JSON itself", () => {
  const { signature } = detachedJws(signer, { typ: "JOSE" }, payload)
  expect(verifySignature(x, canonicalize(payload), signature)).toBe(false)
})
