import type { DecisionFacts, EarlierDecision } from "../../../../schemas/us/decision-facts.ts"
import type { MandatePayload } from "../../../../schemas/us/mandate.ts"
import { found, type GateFindings } from "../../../checks/policy/gate.ts"
import { amountMillionths } from "../../../core/money.ts"
import { instant } from "../../../core/time.ts"

/**
 * CHOICE: an ALLOW_WITH_CONDITIONS is an authorization too, because its holder may release the payment once the conditions are met.
 * Otherwise two conditional answers would pay one invoice twice.
 */
export function isAuthorization({ decision }: Pick<EarlierDecision, "decision">): boolean {
  return decision === "ALLOW" || decision === "ALLOW_WITH_CONDITIONS"
}

/**
 * Checks the mandate again at decision time: it was current at the quote and may have ended or been revoked since. The instruction digest
 * must be new. The stated exposure must match the amount if the two can be compared.
 */
export function paymentAuthorityGate(input: {
  readonly mandate: MandatePayload
  readonly amount: string
  readonly currency: string
  readonly exposureAtomic: string
  readonly instructionDigest: string
  readonly mandateState: DecisionFacts["mandate"]
  readonly delegationState: DecisionFacts["delegation"]
  readonly earlierDecisions: readonly EarlierDecision[]
  readonly exposureDifferencePercentMax: number
  /** Milliseconds. */
  readonly at: number
}): GateFindings {
  const { mandate, mandateState, delegationState, at } = input
  const isCurrent =
    instant(mandate.valid_from) <= at && at < instant(mandate.valid_until) && at < instant(mandateState.valid_until)
  const isDelegated = delegationState.state === "ACTIVE" && at < instant(delegationState.valid_until)
  const isWithinLimit =
    mandate.currency === input.currency &&
    amountMillionths(input.amount) <= amountMillionths(mandate.max_payment_amount)
  return found([
    mandateState.state === "REVOKED" && "MANDATE_REVOKED",
    !isCurrent && "MANDATE_NOT_CURRENT",
    !isWithinLimit && "MANDATE_LIMIT_EXCEEDED",
    !isDelegated && "DELEGATION_NOT_ACTIVE",
    input.earlierDecisions.some(
      (earlier) => isAuthorization(earlier) && earlier.payment_instruction_digest === input.instructionDigest,
    ) && "PAYMENT_INSTRUCTION_REUSED",
    exposureDiffers(input) && "EXPOSURE_DIFFERS_FROM_AMOUNT",
  ])
}

/** Only US dollars compare with USDC without an exchange rate. Both sides are integer millionths. */
function exposureDiffers(input: {
  readonly currency: string
  readonly amount: string
  readonly exposureAtomic: string
  readonly exposureDifferencePercentMax: number
}): boolean {
  if (input.currency !== "USD") return false
  const amount = amountMillionths(input.amount)
  const difference = BigInt(input.exposureAtomic) - amount
  return (difference < 0n ? -difference : difference) * 100n > amount * BigInt(input.exposureDifferencePercentMax)
}
