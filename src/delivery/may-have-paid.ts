import { FAILURE_CAUSES, observePayment } from "../payments/observe.ts"
import { watchedPayment } from "../payments/pursue.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import type { PayingDeps } from "./deps.ts"

/**
 * Whether an attempt that ended unpaid may have moved money all the same: it was given up before it was sent, and its payer or
 * somebody else may have submitted the authorization. While that is not known, its header is answered 202 and not 402.
 * What the chain has proved unpaid (`reason` is a failure cause) costs no question to a node.
 */
export async function mayHavePaid({ payments }: PayingDeps, attempt: Attempt, reason: string): Promise<boolean> {
  if (FAILURE_CAUSES.some((cause) => cause === reason)) return false
  const seen = await observePayment(payments.chain, watchedPayment(attempt))
  if (seen.kind === "pending") return seen.authorization !== "UNUSED"
  return seen.kind !== "failed"
}
