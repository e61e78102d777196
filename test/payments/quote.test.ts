import { describe, expect, test } from "bun:test"
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { BASE_SEPOLIA } from "../../src/payments/networks/base-sepolia.ts"
import { checkQuote, type Offer, quoteExpiry, quoteTerms } from "../../src/payments/quote.ts"

const key = new Uint8Array(32).fill(7)
const NOW = 1_795_000_123
const offer: Offer = {
  product: "p",
  method: "POST",
  path: "/v1/p",
  priceAtomic: 790_000n,
  asset: BASE.asset,
  payTo: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  environment: "test",
}
const BODY = `sha256:${"ab".repeat(32)}`
const salt = "A".repeat(22)
const terms = quoteTerms(key, offer, { bodyDigest: BODY, quoteSalt: salt, quoteExpiresAt: quoteExpiry(NOW) })
const check = (accepted: PaymentRequirements, changes: Partial<Offer> = {}, body = BODY, now = NOW, by = key) =>
  checkQuote(by, { ...offer, ...changes }, { bodyDigest: body, accepted }, now)
const FOREIGN = { ok: false, reason: "quote_not_for_this_request" } as const
const withExtra = (extra: Record<string, unknown>): PaymentRequirements => ({
  ...terms,
  extra: { ...terms.extra, ...extra },
})

describe("a quote", () => {
  test("lives 45 to 60 minutes and all quotes of a quarter of an hour end together", () => {
    for (const second of [0, 1, 449, 899]) {
      const start = 900 * 1_994_444
      expect(quoteExpiry(start + second)).toBe(start + 3_600)
    }
    expect(quoteExpiry(NOW) - NOW).toBeGreaterThan(2_700)
    expect(quoteExpiry(NOW) - NOW).toBeLessThanOrEqual(3_600)
  })

  test("is recognised with its own terms and reports which terms match", () => {
    expect(check(terms)).toEqual({ ok: true, terms, quoteId: String(terms.extra?.["quoteId"]) })
  })

  test("is for one body, product, path, price, payee, environment and chain only", () => {
    expect(check(terms, {}, `sha256:${"ac".repeat(32)}`)).toEqual(FOREIGN)
    for (const changes of [
      { product: "q" },
      { path: "/v1/q" },
      { priceAtomic: 789_999n },
      { payTo: "0x90F79bf6EB2c4f870365E785982E1f101E93b906" },
      { environment: "live" },
      { asset: BASE_SEPOLIA.asset },
    ] as const) {
      expect(check(terms, changes)).toEqual(FOREIGN)
    }
  })

  test("of another key is not recognised", () => {
    expect(check(terms, {}, BODY, NOW, new Uint8Array(32).fill(8))).toEqual(FOREIGN)
  })

  test("with a changed salt, end or id is not recognised, so that no client moves its own deadline", () => {
    for (const extra of [
      { quoteSalt: "B".repeat(22) },
      { quoteSalt: "A".repeat(23) },
      { quoteSalt: 1 },
      { quoteExpiresAt: quoteExpiry(NOW) + 900 },
      { quoteExpiresAt: Number.POSITIVE_INFINITY },
      { quoteExpiresAt: `${quoteExpiry(NOW)}` },
      { quoteId: "" },
      { quoteId: `${String(terms.extra?.["quoteId"])}=` },
      { quoteId: undefined },
    ]) {
      expect(check(withExtra(extra))).toEqual(FOREIGN)
    }
    expect(check({ ...terms, extra: {} })).toEqual(FOREIGN)
  })

  test("expires at its exact second", () => {
    const end = quoteExpiry(NOW)
    expect(check(terms, {}, BODY, end - 1)).toMatchObject({ ok: true })
    expect(check(terms, {}, BODY, end)).toEqual({ ok: false, reason: "quote_expired" })
  })
})
