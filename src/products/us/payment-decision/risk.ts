/**
 * Compares the price of a decision with the possible loss (rulings 54). The risk range is a prior declared by the policy, not a
 * measurement, and the answer says so. It only advises and never skips a mandatory check.
 */
import type { DecisionCost, EconomicRisk } from "../../../../schemas/us/decision-response.ts"
import { GATE_IDS } from "../../../checks/policy/gate.ts"
import { idOfContent } from "../../../core/agent-id.ts"
import { digestOf } from "../../../core/digest.ts"
import { ceilDivide, ratioDecimal } from "../../../core/money.ts"

export interface RiskPrior {
  readonly signal: string
  readonly low_ppm: number
  readonly high_ppm: number
}

interface RiskInput {
  readonly decisionFee: DecisionCost
  /** Positive integer, USDC millionths. */
  readonly exposureAtomic: string
  readonly valuationBasis: string
  /** The prior without any signal. */
  readonly base: Omit<RiskPrior, "signal">
  /** Priors of the observed signals. */
  readonly priors: readonly RiskPrior[]
  readonly policyVersion: string
  /** RFC 3339. */
  readonly assessedAt: string
}

const RATE_DECIMALS = 12
const MILLION = 1_000_000n

const ASSUMPTIONS = [
  "TOTAL_LOSS_OF_EXPOSURE",
  "EXPOSURE_AS_STATED_BY_CALLER",
  "PRIORS_DECLARED_BY_POLICY_NOT_MEASURED",
  "HIGHEST_PRIOR_OF_SEEN_SIGNALS",
]

export function assessRisk(input: RiskInput): EconomicRisk {
  const fee = BigInt(input.decisionFee.amount_atomic)
  const exposure = BigInt(input.exposureAtomic)
  const breakEvenPpm = Number(ceilDivide(fee * MILLION, exposure))
  const ranges = [input.base, ...input.priors]
  const highPpm = Math.max(...ranges.map((range) => range.high_ppm))
  const assessment = {
    decision_fee: input.decisionFee,
    payment_exposure_usdc_equivalent_atomic: input.exposureAtomic,
    exposure_valuation_basis: input.valuationBasis,
    break_even_risk_rate: ratioDecimal(fee, exposure, RATE_DECIMALS),
    break_even_risk_rate_ppm: breakEvenPpm,
    observed_risk_range: {
      low_ppm: Math.max(...ranges.map((range) => range.low_ppm)),
      high_ppm: highPpm,
      basis: "POLICY_PRIOR_NOT_MEASURED",
    },
    verification_economically_justified: highPpm >= breakEvenPpm,
    mandatory_verifications_may_be_skipped: false as const,
    mandatory_verifications: [...GATE_IDS],
    policy_version: input.policyVersion,
    mode: "ADVISORY" as const,
    assumptions: [...ASSUMPTIONS],
    assessed_at: input.assessedAt,
  }
  const digest = digestOf(assessment)
  return {
    ...assessment,
    assessment_id: idOfContent("asm", digest),
    assessment_digest: digest,
  }
}
