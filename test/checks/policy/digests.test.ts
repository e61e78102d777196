import { expect, test } from "bun:test"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import {
  type DigestPointer,
  digestFaults,
  fingerprint,
  mandateDigest,
  requestDigest,
  requestSigningBytes,
  requestTexts,
} from "../../../src/checks/policy/digests.ts"
import { canonicalBytes, canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { verifySignature } from "../../../src/core/ed25519.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { agentKey, mandateKey } from "../../fixtures/buyers.ts"
import { signedRequest } from "../../fixtures/decision.ts"
import { edits } from "../../fixtures/json-edits.ts"

const request = signedRequest()

test("the request digest covers every member except the mandate and the request signature", () => {
  const stated = requestDigest(request)
  for (const { pointer, value } of edits(request as unknown as JsonValue)) {
    if (pointer === "" || pointer === "/requesting_agent") continue
    const left = pointer.startsWith("/buyer_mandate") || pointer === "/requesting_agent/request_signature"
    expect([pointer, requestDigest(value as unknown as DecisionRequest) === stated]).toEqual([pointer, left])
  }
})

test("requestTexts returns the same texts that each digest and signature covers, whichever member differs", () => {
  for (const { pointer, value } of edits(request as unknown as JsonValue)) {
    if (pointer === "" || pointer === "/requesting_agent") continue
    const edited = value as unknown as DecisionRequest
    expect(requestTexts(edited)).toEqual({
      whole: canonicalize(edited),
      signing: Buffer.from(requestSigningBytes(edited)).toString(),
      requestDigest: requestDigest(edited),
    })
  }
})

test("the request signature covers every member except itself", () => {
  const signed = Buffer.from(requestSigningBytes(request))
  for (const { pointer, value } of edits(request as unknown as JsonValue)) {
    if (pointer === "" || pointer === "/requesting_agent") continue
    const same = Buffer.from(requestSigningBytes(value as unknown as DecisionRequest)).equals(signed)
    expect([pointer, same]).toEqual([pointer, pointer === "/requesting_agent/request_signature"])
  }
})

test("the fixture's two signatures verify with their keys", () => {
  const { requesting_agent: agent, buyer_mandate: mandate } = request
  expect(verifySignature(agentKey.x, requestSigningBytes(request), agent.request_signature)).toBe(true)
  expect(verifySignature(mandateKey.x, canonicalBytes(mandate.payload), mandate.signature.value)).toBe(true)
  expect(mandateDigest(mandate.payload)).toBe(digestOf(mandate.payload))
})

test("a fingerprint is the digest of type, value and namespace; a missing namespace counts as null", () => {
  expect(fingerprint({ type: "PROVIDER_ACCOUNT_TOKEN", value: "tok_A" })).toBe(
    digestOf({ provider_namespace: null, type: "PROVIDER_ACCOUNT_TOKEN", value: "tok_A" }),
  )
})

test("an EVM address has one fingerprint in any case; other values have one per spelling", () => {
  const of = (value: string) => fingerprint({ type: "WALLET", value })
  expect(of(`0x${"AB".repeat(20)}`)).toBe(of(`0x${"ab".repeat(20)}`))
  expect(of(`0X${"ab".repeat(20)}`)).not.toBe(of(`0x${"ab".repeat(20)}`))
  expect(of("Token")).not.toBe(of("token"))
})

test.each<[DigestPointer, (r: DecisionRequest) => DecisionRequest]>([
  ["/payee/fingerprint", (r: DecisionRequest) => ({ ...r, payee: { ...r.payee, value: "other" } })],
  [
    "/payment_destination/fingerprint",
    (r: DecisionRequest) => ({ ...r, payment_destination: { ...r.payment_destination, provider_namespace: "x" } }),
  ],
  [
    "/buyer_mandate/mandate_digest",
    (r: DecisionRequest) => ({ ...r, buyer_mandate: { ...r.buyer_mandate, mandate_digest: digestOf("x") as string } }),
  ],
  ["/buyer_mandate/payload/request_digest", (r: DecisionRequest) => ({ ...r, amount: "1" })],
])("a digest that does not match is named by its pointer: %s", (pointer, edit) => {
  expect(digestFaults(request)).toEqual([])
  expect(digestFaults(edit(request))).toContain(pointer)
})

test("in a partial request only the members that are present are compared", () => {
  const { amount: _amount, ...partial } = request
  expect(digestFaults(partial)).toEqual([])
  expect(digestFaults({})).toEqual([])
  expect(digestFaults({ payee: { ...request.payee, value: "other" } })).toEqual(["/payee/fingerprint"])
})
