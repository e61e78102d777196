import type { ChangeFacts } from "../../../schemas/change-facts.ts"
import type { GbPaymentFacts, GbPaymentRequest } from "../../../schemas/gb/payment.ts"
import { instant } from "../../core/time.ts"
import { type ChallengeThresholds, changeChallengeGate, proposedChange } from "../change-challenge.ts"
import { found, type GateResult } from "../policy/gate.ts"
import { type BindingThresholds, payeeBindingGate } from "../us/payee-binding.ts"

const NOTHING_KNOWN: ChangeFacts = { prior_authorization: null, challenge_reused: false }

/**
 * Checks that the payee belongs to the company, by evidence that is still valid. If the request includes a change of payee, checks the
 * change too.
 */
export function payeeGate(
  { company_number: number, payee, vendor_change: change }: GbPaymentRequest,
  facts: Pick<GbPaymentFacts, "at" | "change">,
  thresholds: BindingThresholds & ChallengeThresholds,
): GateResult<"PAYEE"> {
  const at = instant(facts.at)
  const binding = payeeBindingGate(payee.binding_evidence, thresholds, at)
  const known = facts.change ?? NOTHING_KNOWN
  const changed = change && changeChallengeGate(proposedChange(number, change), known, thresholds, at)
  return {
    gate: "PAYEE",
    ...found([
      payee.company_number !== number && "PAYEE_COMPANY_MISMATCH",
      ...binding.codes,
      ...(changed?.codes ?? []),
    ]),
  }
}
