import type { Operation } from "../../schemas/operation.ts"
import { PAYMENT_DECISION_PRICE } from "../../schemas/us/payment-decision.ts"
import { parseAmount, ratioDecimal } from "../../src/core/money.ts"

/** Price of one decision. */
export const FEE_ATOMIC = BigInt(PAYMENT_DECISION_PRICE.amount_atomic)

export function formatUsdc(atomic: bigint): string {
  return `${ratioDecimal(atomic, 1_000_000n, 6)} USDC`
}

/** Returns the price of one answer of a paid operation, in millionths of a USDC. */
export function priceOf({ id, price }: Pick<Operation, "id" | "price">): bigint {
  const atomic = price === null ? null : parseAmount(price.amount)
  if (atomic === null) throw new TypeError(`${id} has no price`)
  return atomic
}
