import { describe, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { PaymentPayloadV2Schema, PaymentRequiredV2Schema } from "@x402/core/schemas"
import { ExactEvmScheme } from "@x402/evm"
import { x402Client } from "@x402/fetch"
import { PaymentPayload, PaymentRequired } from "../../schemas/x402.ts"
import { sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"

const NOW = 1_795_000_000
const required = {
  x402Version: 2 as const,
  error: "PAYMENT-SIGNATURE header is required",
  resource: { url: "https://example.test/v1/us/company-check", description: "US company check" },
  accepts: [sampleTerms()],
  extensions: { "payment-identifier": { info: { required: false }, schema: {} } },
}

describe("x402 objects", () => {
  test("a quote that passes our schema passes the official one", () => {
    expect(Value.Check(PaymentRequired, required)).toBe(true)
    expect(PaymentRequiredV2Schema.safeParse(required).success).toBe(true)
  })

  test("a payload that the official client signs passes our schema, with its echo of resource and extensions", async () => {
    const client = new x402Client().register("eip155:8453", new ExactEvmScheme(DEV_ACCOUNTS.payer))
    const payload = await client.createPaymentPayload(required as Parameters<typeof client.createPaymentPayload>[0])
    expect(payload.resource?.url).toBe(required.resource.url)
    expect(Value.Check(PaymentPayload, payload)).toBe(true)
  })

  test("unknown members of the payload, its accepted terms and its extensions are accepted", async () => {
    const payload = await signPayment(DEV_ACCOUNTS.payer, sampleTerms(), NOW)
    const extended = {
      ...payload,
      extensions: { anything: { info: [1] } },
      clientNote: "x",
      accepted: { ...payload.accepted, more: 1 },
    }
    expect(Value.Check(PaymentPayload, extended)).toBe(true)
    expect(PaymentPayloadV2Schema.safeParse(extended).success).toBe(true)
  })

  const shapes: [name: string, change: (payload: PaymentPayload) => unknown][] = [
    ["without a signature", (p) => ({ ...p, payload: { authorization: p.payload.authorization } })],
    ["of version 1", (p) => ({ ...p, x402Version: 1 })],
    ["with Permit2 beside the authorization", (p) => ({ ...p, payload: { ...p.payload, permit2Authorization: {} } })],
    ["with a number for a value", (p) => withAuthorization(p, { value: 790000 })],
    ["with a hexadecimal value", (p) => withAuthorization(p, { value: "0xc0de" })],
    ["with a leading zero", (p) => withAuthorization(p, { value: "0790000" })],
    ["with a sign", (p) => withAuthorization(p, { validAfter: "-1" })],
    ["with a short nonce", (p) => withAuthorization(p, { nonce: "0x01" })],
    ["with half a byte of signature", (p) => ({ ...p, payload: { ...p.payload, signature: "0x123" } })],
    ["with a signature over 8 KB", (p) => ({ ...p, payload: { ...p.payload, signature: `0x${"ab".repeat(4097)}` } })],
  ]
  test.each(shapes)("a payload %s is refused", async (_, change) => {
    const payload = await signPayment(DEV_ACCOUNTS.payer, sampleTerms(), NOW)
    expect(Value.Check(PaymentPayload, payload)).toBe(true)
    expect(Value.Check(PaymentPayload, change(payload))).toBe(false)
  })
})

function withAuthorization(payload: PaymentPayload, change: Record<string, unknown>): unknown {
  return { ...payload, payload: { ...payload.payload, authorization: { ...payload.payload.authorization, ...change } } }
}
