import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkedPayment, readPaymentFile } from "../../src/agent/payment-file.ts"
import type { QuoteTerms } from "../../src/agent/quote-file.ts"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { encodeHeader } from "../../src/payments/payment-header.ts"
import { PRICE_ATOMIC, sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const NOW_SECONDS = 1_795_000_000
const requirements = sampleTerms()
const terms: QuoteTerms = { requirements, asset: BASE.asset, amountAtomic: PRICE_ATOMIC, expiresAt: NOW_SECONDS + 900 }
const { payer, secondPayer, stranger } = DEV_ACCOUNTS

const refusalOf = (header: string, from: string = payer.address): CommandError | null => {
  try {
    checkedPayment(header, terms, from)
    return null
  } catch (error) {
    if (error instanceof CommandError) return error
    throw error
  }
}

test("a payment of exactly the quote from the named wallet is accepted, in any letter case of the address", async () => {
  const header = encodeHeader(await signPayment(payer, requirements, NOW_SECONDS))
  expect(checkedPayment(header, terms, payer.address)).toBe(header)
  expect(checkedPayment(header, terms, payer.address.toLowerCase())).toBe(header)
})

test.each([
  ["another wallet", () => signPayment(secondPayer, requirements, NOW_SECONDS)],
  ["another recipient", () => signPayment(payer, requirements, NOW_SECONDS, { to: stranger.address })],
  ["another amount", () => signPayment(payer, requirements, NOW_SECONDS, { value: 1n })],
  ["other terms", () => signPayment(payer, sampleTerms({ payTo: stranger.address }), NOW_SECONDS)],
])("a payment with %s is rejected", async (_name, sign) => {
  expect(refusalOf(encodeHeader(await sign()))).toMatchObject({ exit: EXIT.INVALID })
})

test.each([
  ["nothing", ""],
  ["no base64", "%"],
  ["no payment", encodeHeader({ x402Version: 2 })],
])("%s instead of a payment is rejected", (_name, header) => {
  expect(refusalOf(header)).toMatchObject({ exit: EXIT.INVALID })
})

test("a payment file that others can read is rejected, and a missing file means no payment", () => {
  using folder = freshDirectory()
  const path = join(folder.path, "quote.json.payment")
  expect(readPaymentFile(path)).toBeNull()
  const content = { body_digest: `sha256:${"0".repeat(64)}`, payment_signature: "e30=" }
  writeFileSync(path, JSON.stringify(content), { mode: 0o644 })
  expect(() => readPaymentFile(path)).toThrow("chmod 600")
})
