/** Compares the prices of the nine products with the interface's table. The catalogue states each price; all other places repeat it. */
import { expect, test } from "bun:test"
import { PAYMENT_DECISION_PRICE, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { ANSWER_RULES } from "../../src/catalogue/answer-rules.ts"
import { GATES } from "../../src/checks/policy/gate.ts"
import { DECISION_FEE_ATOMIC } from "../../src/checks/us/mandate.ts"
import { parseAmount } from "../../src/core/money.ts"
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

test("the nine paid products and their prices match the interface", () => {
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
  const written = sourceFiles("src", "schemas", "scripts").filter((path) =>
    /"0\.(79|04|1[05]|20)"|\b(790_?000|40_?000|100_?000n|150_?000|200_?000)n\b|"(790000|40000|150000|200000)"/.test(
      sourceText(path),
    ),
  )
  // A published policy keeps the numbers of its publication.
  const rows = ["schemas/us/payment-decision.ts", "src/products/us/payment-decision/policy.ts"]
  expect(written.filter((path) => !rows.includes(path) && !path.startsWith("schemas/"))).toEqual([])
  const repeated = written.filter((path) => path.startsWith("schemas/"))
  expect(repeated.every((path) => (sourceText(path).match(/"0\.(79|04|1[05]|20)"/g) ?? []).length === 1)).toBe(true)
})
