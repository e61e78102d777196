import { describe, expect, test } from "bun:test"
import {
  encodeHeader,
  hasOnlyVersion1Header,
  hasPaymentHeader,
  PAYMENT_HEADER_CHARACTERS_MAX,
  readPaymentHeader,
} from "../../src/payments/payment-header.ts"
import { sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"

const payment = await signPayment(DEV_ACCOUNTS.payer, sampleTerms(), 1_795_000_000)
const read = (value: string) => readPaymentHeader(new Headers({ "payment-signature": value }))
const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("readPaymentHeader", () => {
  test("returns null without a header and the payload with one", () => {
    expect(readPaymentHeader(new Headers())).toBeNull()
    expect(read(encodeHeader(payment))).toMatchObject({ payload: payment })
  })

  test("gives one digest for one payload, whatever its spacing and member order", () => {
    const { accepted, payload, x402Version } = payment
    const first = read(encodeHeader(payment))
    const second = read(base64(JSON.stringify({ payload, accepted, x402Version }, null, 2)))
    expect(first).toEqual(second as typeof first)
  })

  test.each([
    ["a space", " "],
    ["a tab", "\t"],
    ["two spaces", "  "],
  ])("reads base64 in lines that a proxy joined with %s as the same payment", (_, between) => {
    const lines = encodeHeader(payment).match(/.{1,76}/g) ?? []
    expect(lines.length).toBeGreaterThan(5)
    const whole = read(encodeHeader(payment))
    expect(whole).toMatchObject({ payload: payment })
    expect(read(lines.join(between))).toEqual(whole)
  })

  test("gives another digest when anything is added or changed", () => {
    const digest = (value: object) => (read(encodeHeader(value)) as { sha256: string }).sha256
    const digests = [
      payment,
      { ...payment, accepted: { ...payment.accepted, extra: { ...payment.accepted.extra, more: 1 } } },
      { ...payment, payload: { ...payment.payload, signature: `${payment.payload.signature.slice(0, -2)}1d` } },
    ].map(digest)
    expect(new Set(digests).size).toBe(3)
  })

  test.each([
    ["an empty header", "", "NOT_BASE64"],
    ["base64url", Buffer.from([255, 254, 253]).toString("base64url"), "NOT_BASE64"],
    ["two headers in one", `${encodeHeader(payment)}, ${encodeHeader(payment)}`, "SENT_TWICE"],
    ["no JSON", base64("payment"), "NOT_STRICT_JSON"],
    ["a name given twice", base64('{"x402Version":2,"x402Version":1}'), "NOT_STRICT_JSON"],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]).toString("base64"), "NOT_STRICT_JSON"],
    ["another object", base64("{}"), "NOT_A_PAYMENT_PAYLOAD"],
    [
      "version 1 in version 2's header",
      base64(JSON.stringify({ ...payment, x402Version: 1 })),
      "NOT_A_PAYMENT_PAYLOAD",
    ],
    ["a header over the limit", "A".repeat(PAYMENT_HEADER_CHARACTERS_MAX + 4), "PAYMENT_HEADER_TOO_LARGE"],
  ])("rejects %s and gives the reason", (_, value, fault) => {
    expect(read(value)).toBe(fault as "NOT_BASE64")
  })

  test("does not read a version 1 header, alone or beside a good one", () => {
    const headers = new Headers({ "payment-signature": encodeHeader(payment), "x-payment": "x" })
    expect(readPaymentHeader(headers)).toMatchObject({ payload: payment })
    expect(hasOnlyVersion1Header(headers)).toBe(false)
    expect(readPaymentHeader(new Headers({ "x-payment": encodeHeader(payment) }))).toBeNull()
    expect(hasOnlyVersion1Header(new Headers({ "x-payment": "" }))).toBe(true)
    expect(hasOnlyVersion1Header(new Headers())).toBe(false)
  })

  test("counts a header of either version as a payment header where none is allowed", () => {
    expect(hasPaymentHeader(new Headers({ "Payment-Signature": "" }))).toBe(true)
    expect(hasPaymentHeader(new Headers({ "X-Payment": "" }))).toBe(true)
    expect(hasPaymentHeader(new Headers())).toBe(false)
  })
})
