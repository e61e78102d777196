import { FAILURE_CAUSES, observePayment } from "../payments/observe.ts"
import { watchedPayment } from "../payments/pursue.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import type { PayingDeps } from "./deps.ts"

/**
 * Whether an attempt that ended unpaid may have moved money. This service released it before sending, but its payer or a third party may
 * have submitted the authorization. Until that is known, its header gets 202 and not 402. No node query is needed when `reason` is a
 * failure that the chain has proved.
 */
export async function mayHavePaid({ payments }: PayingDeps, attempt: Attempt, reason: string): Promise<boolean> {
  if (FAILURE_CAUSES.some((cause) => cause === reason)) return false
  const seen = await observePayment(payments.chain, watchedPayment(attempt))
  if (seen.kind === "pending") return seen.authorization !== "UNUSED"
  return seen.kind !== "failed"
}
