import { describe, expect, test } from "bun:test"
import type { PaymentPayload } from "../../schemas/x402.ts"
import { checkAuthorization } from "../../src/payments/authorization.ts"
import { sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"

const NOW = 1_795_000_000
const { payer, stranger } = DEV_ACCOUNTS
const terms = sampleTerms()
const payment = await signPayment(payer, terms, NOW)

describe("checkAuthorization", () => {
  test("turns a valid payment into one normalized authorization", () => {
    const shouting = structuredClone(payment)
    shouting.payload.authorization.from = payer.address.toLowerCase()
    shouting.payload.authorization.nonce = `0x${payment.payload.authorization.nonce.slice(2).toUpperCase()}`
    const checked = checkAuthorization(shouting, terms, NOW, payer.address.toUpperCase().replace("0X", "0x"))
    expect(checked).toEqual({
      ok: true,
      authorization: {
        from: payer.address,
        to: DEV_ACCOUNTS.payTo.address,
        value: 790_000n,
        validAfter: 0,
        validBefore: NOW + 300,
        nonce: payment.payload.authorization.nonce as `0x${string}`,
        signature: payment.payload.signature as `0x${string}`,
      },
    })
  })

  test("ignores members that a client adds to the accepted extra", () => {
    const added = structuredClone(payment)
    added.accepted.extra = { ...terms.extra, clientHint: true }
    expect(checkAuthorization(added, terms, NOW, null).ok).toBe(true)
  })

  type Row = [name: string, reason: string, change: (p: PaymentPayload) => void]
  const authorization = (change: Partial<PaymentPayload["payload"]["authorization"]>) => (p: PaymentPayload) => {
    Object.assign(p.payload.authorization, change)
  }
  const accepted = (change: Partial<PaymentPayload["accepted"]>) => (p: PaymentPayload) => {
    Object.assign(p.accepted, change)
  }
  const rows: Row[] = [
    ["another version", "invalid_payload", (p) => Object.assign(p, { x402Version: 1 })],
    ["another scheme", "invalid_payment_requirements", accepted({ scheme: "upto" })],
    ["another network", "invalid_payment_requirements", accepted({ network: "eip155:84532" })],
    ["a lower accepted amount", "invalid_payment_requirements", accepted({ amount: "1" })],
    ["another asset", "invalid_payment_requirements", accepted({ asset: stranger.address })],
    ["another payee in accepted", "invalid_payment_requirements", accepted({ payTo: stranger.address })],
    ["a longer window in accepted", "invalid_payment_requirements", accepted({ maxTimeoutSeconds: 301 })],
    ["a missing extra", "invalid_payment_requirements", accepted({ extra: null })],
    [
      "a changed extra member",
      "invalid_payment_requirements",
      accepted({ extra: { ...terms.extra, quoteId: "other" } }),
    ],
    ["another recipient", "invalid_exact_evm_recipient_mismatch", authorization({ to: stranger.address })],
    ["a lower value", "invalid_exact_evm_payload_authorization_value_mismatch", authorization({ value: "789999" })],
    ["a higher value", "invalid_exact_evm_payload_authorization_value_mismatch", authorization({ value: "790001" })],
    [
      "a start in the future",
      "invalid_exact_evm_payload_authorization_valid_after",
      authorization({ validAfter: String(NOW + 1) }),
    ],
    [
      "under a minute left",
      "invalid_exact_evm_payload_authorization_valid_before",
      authorization({ validBefore: String(NOW + 59) }),
    ],
    [
      "a window longer than asked and half a minute",
      "invalid_exact_evm_payload_authorization_valid_before",
      authorization({ validBefore: String(NOW + 331) }),
    ],
    [
      "an expiry beyond what a number holds",
      "invalid_exact_evm_payload_authorization_valid_before",
      authorization({ validBefore: "9".repeat(78) }),
    ],
    [
      "a wallet that is not deployed",
      "invalid_exact_evm_payload_undeployed_smart_wallet",
      (p) => {
        p.payload.signature = `${p.payload.signature}${"6492".repeat(16)}`
      },
    ],
  ]
  test.each(rows)("rejects %s as %s", (_, reason, change) => {
    const changed = structuredClone(payment)
    change(changed)
    expect(checkAuthorization(changed, terms, NOW, null)).toEqual({ ok: false, reason } as never)
  })

  test("rejects a payment by another wallet than the signed request names", () => {
    const checked = checkAuthorization(payment, terms, NOW, stranger.address)
    expect(checked).toEqual({ ok: false, reason: "decision_fee_payer_mismatch" })
  })

  test.each([60, 300, 330])("accepts an expiry %d seconds ahead", (ahead) => {
    const edge = structuredClone(payment)
    edge.payload.authorization.validBefore = String(NOW + ahead)
    expect(checkAuthorization(edge, terms, NOW, null).ok).toBe(true)
  })

  test.each([[null], [1], ["x"], [[]], [{}]])("rejects %p as a payload without throwing", (value) => {
    expect(checkAuthorization(value, terms, NOW, null)).toEqual({ ok: false, reason: "invalid_payload" })
  })
})
