import { ratioDecimal } from "../../src/core/money.ts"

/** Price of one decision (Interface, "Rules", 3). */
export const FEE_ATOMIC = 790_000n

export function formatUsdc(atomic: bigint): string {
  return `${ratioDecimal(atomic, 1_000_000n, 6)} USDC`
}
