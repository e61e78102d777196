/** Compares the prices of the products with the interface's table. In the code each price is written once, in its schema. */
import { expect, test } from "bun:test"
import { PAYMENT_DECISION_PRICE, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { GATES } from "../../src/checks/policy/gate.ts"
import { DECISION_FEE_ATOMIC } from "../../src/checks/us/mandate.ts"
import { parseAmount } from "../../src/core/money.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { PAYMENT_DECISION_POLICY } from "../../src/products/us/payment-decision/policy.ts"
import { sourceFiles, sourceText } from "../fixtures/imports.ts"
import { OPERATIONS } from "../fixtures/operations.ts"

/** Interface, "Products". */
const TABLE = {
  [PAYMENT_DECISION_PRODUCT]: "0.79",
  "us.company.check.v1": "0.04",
  "us.invoice_payee.verify.v1": "0.10",
  "us.payment.authorize.v1": "0.20",
  "us.supplier.approve.v1": "0.20",
  "us.vendor.payment_detail_change.authorize.v1": "0.15",
  "us.vendor.authorization.continue.v1": "0.10",
  "gb.business.payment.authorize.v1": "0.15",
  "gb.vendor.payment_detail_change.authorize.v1": "0.15",
}

test("the paid products and their prices match the interface", () => {
  const sold = Object.fromEntries(ANSWER_RULES.map(({ id, price }) => [id, price]))
  const all: Record<string, string> = { [PAYMENT_DECISION_PRODUCT]: PAYMENT_DECISION_PRICE.amount, ...sold }
  expect(all).toEqual(TABLE)
})

test("the six US operations together cost as much as the Payment Decision, wherever the prices are printed", () => {
  const operations = ANSWER_RULES.filter(({ country }) => country === "US")
  // Each gate of the Payment Decision is one of these operations.
  expect(operations.map(({ id }) => id).sort()).toEqual(Object.values(GATES).sort())
  const sum = operations.reduce((total, { price }) => total + (parseAmount(price) ?? 0n), 0n)
  expect(sum).toBe(parseAmount(PAYMENT_DECISION_PRICE.amount) ?? 0n)
  expect(sum).toBe(DECISION_FEE_ATOMIC)
  expect(String(sum)).toBe(PAYMENT_DECISION_POLICY.thresholds.decision_fee_atomic)
})

test("each price is written once, in the operation table, and every other place reads it from there", () => {
  const sold = OPERATIONS.filter(({ authentication }) => authentication === "X402")
  const table = Object.fromEntries(sold.map(({ path, price }) => [path, price?.amount]))
  expect(Object.values(table).sort()).toEqual(Object.values(TABLE).sort())
  expect(parseAmount(PAYMENT_DECISION_PRICE.amount)).toBe(BigInt(PAYMENT_DECISION_PRICE.amount_atomic))
  const decimals = [...new Set(Object.values(TABLE))].map((price) => `"${price.replace(".", "\\.")}"`)
  const atomic = Object.values(TABLE).map((price) => String(parseAmount(price)))
  const written = new RegExp(
    [...decimals, ...atomic.flatMap((n) => [`"${n}"`, `\\b${n.replace(/000$/, "_?000")}n\\b`])].join("|"),
    "g",
  )
  const places = sourceFiles("src", "schemas", "scripts").flatMap((path) => {
    const count = (sourceText(path).match(written) ?? []).length
    return count === 0 ? [] : [[path, count] as const]
  })
  // The Payment Decision states its price in both forms, and a published policy keeps the price of its time.
  const twice = ["schemas/us/payment-decision.ts", "src/products/us/payment-decision/policy.ts"]
  const others = places.filter(([path]) => !twice.includes(path))
  expect(others.filter(([path, count]) => !path.startsWith("schemas/") || count !== 1)).toEqual([])
  expect(others.length).toBe(sold.length - 1)
})

test("README states the prices of the catalogue", () => {
  const range = (country: string) => {
    const prices = ANSWER_RULES.filter((rules) => rules.country === country).map(({ price }) => price)
    const [low = "", ...higher] = [...new Set(prices)].toSorted((a, b) => Number(a) - Number(b))
    return higher.length === 0 ? low : `${low} to ${higher.at(-1)}`
  }
  const sentence = `A Payment Decision costs ${PAYMENT_DECISION_PRICE.amount} USDC, each of its six US parts ${range("US")}, each UK product ${range("GB")}.`
  expect(sourceText("README.md").replace(/\s+/g, " ")).toContain(sentence)
})
