import { describe, expect, test } from "bun:test"
import type { PaymentPayload } from "../../schemas/x402.ts"
import {
  authorizationOf,
  checkAuthorization,
  checkWindow,
  hasBegun,
  isWindowReason,
  settlingForm,
} from "../../src/payments/authorization.ts"
import { PLAIN_FORMS, sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"

const NOW = 1_795_000_000
const { payer, stranger } = DEV_ACCOUNTS
const terms = sampleTerms()
const QUOTE_EXPIRES_AT = Number(terms.extra?.["quoteExpiresAt"])
const payment = await signPayment(payer, terms, NOW)

describe("checkAuthorization", () => {
  test("turns a valid payment into one normalized authorization", () => {
    const shouting = structuredClone(payment)
    shouting.payload.authorization.from = payer.address.toLowerCase()
    shouting.payload.authorization.nonce = `0x${payment.payload.authorization.nonce.slice(2).toUpperCase()}`
    const checked = checkAuthorization(shouting, terms, payer.address.toUpperCase().replace("0X", "0x"))
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
    expect(checkAuthorization(added, terms, null).ok).toBe(true)
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
      "an expiry ten minutes past the quote's",
      "invalid_exact_evm_payload_authorization_valid_before",
      authorization({ validBefore: String(QUOTE_EXPIRES_AT + 601) }),
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
    expect(checkAuthorization(changed, terms, null)).toEqual({ ok: false, reason } as never)
  })

  test("rejects a payment by another wallet than the signed request names", () => {
    const checked = checkAuthorization(payment, terms, stranger.address)
    expect(checked).toEqual({ ok: false, reason: "decision_fee_payer_mismatch" })
  })

  test("accepts an expiry up to ten minutes past the quote's, and leaves the rest to the chain's clock", () => {
    for (const validBefore of [0, NOW, QUOTE_EXPIRES_AT, QUOTE_EXPIRES_AT + 600]) {
      const edge = structuredClone(payment)
      Object.assign(edge.payload.authorization, { validBefore: String(validBefore), validAfter: String(NOW + 1_000) })
      expect(checkAuthorization(edge, terms, null)).toMatchObject({ ok: true, authorization: { validBefore } })
    }
  })

  test.each([[null], [1], ["x"], [[]], [{}]])("rejects %p as a payload without throwing", (value) => {
    expect(checkAuthorization(value, terms, null)).toEqual({ ok: false, reason: "invalid_payload" })
  })
})

describe("checkWindow, by the time of the newest block", () => {
  const AFTER = "invalid_exact_evm_payload_authorization_valid_after"
  const BEFORE = "invalid_exact_evm_payload_authorization_valid_before"
  const rows: readonly (readonly [name: string, validAfter: number, validBefore: number, reason: string | null])[] = [
    ["an unlimited start and the asked window", 0, 300, null],
    ["a start at the block's own time, which the next block is past", 1_000, 300, null],
    ["a start a minute ahead, which is waited for", 1_060, 300, null],
    ["a start more than a minute ahead", 1_061, 300, AFTER],
    ["a start beyond what a number holds", Number("9".repeat(78)), 300, AFTER],
    ["a minute left", 0, 60, null],
    ["less than a minute left", 0, 59, BEFORE],
    ["an end in the past", 0, -1, BEFORE],
    ["less than a minute from its first block to its end", 1_060, 119, BEFORE],
    ["a minute from its first block to its end", 1_060, 120, null],
    ["a client's clock ten minutes ahead", 0, 900, null],
    ["a client's clock further ahead", 0, 901, BEFORE],
  ]
  test.each(rows)("%s", (_, validAfter, left, reason) => {
    expect(checkWindow({ validAfter, validBefore: 1_000 + left }, { maxTimeoutSeconds: 300 }, 1_000)).toBe(
      reason as null,
    )
    if (reason) expect(isWindowReason(reason)).toBe(true)
  })

  test("takes what the official client signs on a machine whose clock is up to ten minutes ahead or behind", () => {
    // Both end with the quote's window. Clients of 2.27 begin at any time, others ten minutes before their own clock.
    for (const skew of [-240, -60, 0, 60, 240, 480, 600]) {
      for (const validAfter of [0, 1_000 + skew - 600]) {
        const window = { validAfter, validBefore: 1_000 + skew + 300 }
        expect([skew, checkWindow(window, { maxTimeoutSeconds: 300 }, 1_000)]).toEqual([skew, null])
      }
    }
  })

  test("a transfer is in its window strictly after validAfter, as USDC requires", () => {
    expect([999, 1_000, 1_001].map((block) => hasBegun({ validAfter: 1_000 }, block))).toEqual([false, false, true])
  })
})

describe("settlingForm", () => {
  test.each(PLAIN_FORMS)("changes %s of a payer without code only, and no other member", (_, write) => {
    const signed = authorizationOf(payment.payload)
    const given = { ...signed, signature: write(signed.signature) }
    expect(settlingForm(given, false)).toEqual(signed)
    expect(settlingForm(given, true)).toEqual(given)
  })
})
