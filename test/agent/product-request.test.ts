import { describe, expect, test } from "bun:test"
import { hash } from "node:crypto"
import { recognisedRequest } from "../../src/agent/product-request.ts"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { requirePaidHeaders } from "../../src/http/paid-headers.ts"
import { signedRequest } from "../fixtures/decision.ts"
import { companyCheckRequest } from "../fixtures/delivered-answer.ts"
import { gbPaymentBody } from "../fixtures/gb.ts"
import { EACH_PRODUCT } from "../fixtures/products.ts"

function refused(value: unknown, product?: string): string {
  try {
    recognisedRequest(value, product)
  } catch (error) {
    if (error instanceof CommandError && error.exit === EXIT.USAGE) return error.message
    throw error
  }
  throw new Error("recognised")
}

describe.each(EACH_PRODUCT)("%s", (id, { path, country, body }) => {
  test("is recognised by the members of its body, and by its name", () => {
    const requests = body()
    const request = recognisedRequest(requests, undefined)
    expect(request).toMatchObject({ product: id, path, text: canonicalize(requests) })
    expect(recognisedRequest(requests, id)).toEqual(request)
    expect(request.bodyDigest as string).toBe(`sha256:${hash("sha256", request.text)}`)
    expect(request.rules === null).toBe(id === "decision-gate.release-payment-to-supplier.v1")
  })
  test("carries the UK headers exactly where the route requires them", () => {
    const requests = body()
    const { headers, bodyDigest } = recognisedRequest(requests, undefined)
    const call = { headers: new Headers(headers), body: requests, bodyDigest }
    if (country === "GB") requirePaidHeaders(call)
    else expect(headers).toEqual({})
  })
})

test("a body with one missing member gets an error that names the closest product and the member", () => {
  const { correlation: _, ...check } = companyCheckRequest()
  expect(refused(check)).toContain("not a request for us.company.check.v1: /correlation")
  const { buyer_mandate: __, ...decision } = signedRequest()
  expect(refused(decision)).toContain("bizauth agent sign-request makes one")
})

test("a body that does not match the named product is rejected, and an unknown product id suggests the closest one", () => {
  expect(refused(companyCheckRequest(), "us.supplier.approve.v1")).toContain("/risk_policy")
  expect(refused({}, "us.company.chek.v1")).toContain("did you mean us.company.check.v1?")
  for (const value of [null, [], "text", {}]) expect(refused(value)).toContain("not a request for")
})

test("only a Payment Decision request binds its fee to a wallet and to a mandate limit", () => {
  expect(recognisedRequest(companyCheckRequest(), undefined)).toMatchObject({ payer: null, feeMax: null })
  const request = signedRequest()
  expect(recognisedRequest(request, undefined)).toMatchObject({
    payer: request.decision_fee_payer,
    feeMax: BigInt(request.buyer_mandate.payload.max_decision_fee_atomic),
  })
})

test.each([
  ["a key outside ASCII", "Bestellung-ü-日本", true],
  ["a key with a line break", "order\r\nx-other: 1", false],
  ["a key with a space at its end", "order-2026 ", false],
])("the idempotency key with %s is sent as its UTF-8 bytes or rejected", (_what, key, isSent) => {
  const requests = gbPaymentBody({ idempotency_key: key })
  if (!isSent) expect(refused(requests)).toContain("no header can carry")
  else {
    const { headers, bodyDigest } = recognisedRequest(requests, undefined)
    requirePaidHeaders({ headers: new Headers(headers), body: requests, bodyDigest })
  }
})
