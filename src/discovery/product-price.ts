import type { Price } from "../../schemas/discovery/document-members.ts"
import { amountMillionths } from "../core/money.ts"
import type { SoldOperation } from "./sold.ts"

/** The price of a paid row. One atomic unit of USDC is a millionth. */
export function productPrice({ price: { amount, asset } }: SoldOperation): Price {
  return { amount, amount_atomic: amountMillionths(amount).toString(), asset }
}
