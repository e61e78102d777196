import type { Operation } from "../../schemas/operation.ts"
import { parseAmount, ratioDecimal } from "../../src/core/money.ts"

/** Price of one decision (Interface, "Rules", 3). */
export const FEE_ATOMIC = 790_000n

export function formatUsdc(atomic: bigint): string {
  return `${ratioDecimal(atomic, 1_000_000n, 6)} USDC`
}

/** What one answer of a paid operation costs, in millionths of a USDC. */
export function priceOf({ id, price }: Pick<Operation, "id" | "price">): bigint {
  const atomic = price === null ? null : parseAmount(price.amount)
  if (atomic === null) throw new TypeError(`${id} has no price`)
  return atomic
}
