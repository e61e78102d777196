/**
 * Checks the caller's evidence that a payee belongs to the company: its strength and whether it is still valid. Used by the UK and the US
 * products.
 */
import type { BindingEvidence } from "../../../schemas/caller-evidence.ts"
import type { Observation } from "../../../schemas/observation.ts"
import { DAY, instant } from "../../core/time.ts"
import { callerEvidence, PAYEE_EVIDENCE } from "../attested-evidence.ts"
import type { UnchargedReason } from "../policy/answer-policy.ts"
import { found, type GateFindings } from "../policy/gate.ts"
import { codesOf, type Finding, finding, findings } from "../policy/origins.ts"
import { type PolicyReason, reasonRow } from "../policy/policy.ts"

export interface BindingThresholds {
  readonly payee_binding_days_max: number
}

/** `at` is in milliseconds. Evidence is expired at the instant of its end. */
export function payeeBindingGate(binding: BindingEvidence, thresholds: BindingThresholds, at: number): GateFindings {
  const codes = codesOf(payeeBindingFindings(binding, thresholds, at))
  return found([...codes, binding.type === "SUPPLIER_STATEMENT" && "PAYEE_BINDING_WEAK"])
}

/** The findings of the gate that are never sold. */
export function payeeBindingFindings(binding: BindingEvidence, thresholds: BindingThresholds, at: number): Finding[] {
  return findings(
    hasEnded(binding, at) && finding("PAYEE_BINDING_EXPIRED"),
    instant(binding.verified_at) > at && finding("PAYEE_BINDING_NOT_YET_VALID"),
    isTooOld(binding, thresholds, at) && finding("PAYEE_BINDING_TOO_OLD"),
  )
}

export function payeeBindingEvidence(binding: BindingEvidence, thresholds: BindingThresholds, at: number): Observation {
  const isOver = hasEnded(binding, at) || isTooOld(binding, thresholds, at)
  return callerEvidence(
    {
      sourceId: PAYEE_EVIDENCE,
      kind: "payee-binding",
      observedAt: instant(binding.verified_at),
      retrievedAt: at,
      isCurrent: !isOver,
      claims: [`BINDING_TYPE:${binding.type}`],
    },
    binding,
  )
}

function hasEnded({ valid_until: end }: BindingEvidence, at: number): boolean {
  return instant(end) <= at
}

function isTooOld({ verified_at: since }: BindingEvidence, thresholds: BindingThresholds, at: number): boolean {
  return at - instant(since) > thresholds.payee_binding_days_max * DAY
}

/** Rows in order of precedence, for the gate of the product that checks the payee. */
export function payeeBindingRows(gate: string): readonly PolicyReason[] {
  return [
    reasonRow(
      "PAYEE_BINDING_EXPIRED",
      gate,
      "HOLD",
      "RENEW_PAYEE_BINDING_EVIDENCE",
      "The evidence that binds the payee to the company is past its own end.",
    ),
    reasonRow(
      "PAYEE_BINDING_NOT_YET_VALID",
      gate,
      "HOLD",
      "CORRECT_PAYEE_BINDING_EVIDENCE",
      "The evidence says it was verified after this answer.",
    ),
    reasonRow(
      "PAYEE_BINDING_TOO_OLD",
      gate,
      "HOLD",
      "RENEW_PAYEE_BINDING_EVIDENCE",
      "The payee was verified longer ago than the policy accepts, whatever the evidence says of its own end.",
    ),
    reasonRow(
      "PAYEE_BINDING_WEAK",
      gate,
      "CONDITION",
      "VERIFY_PAYEE_INDEPENDENTLY",
      "The supplier's own statement is all that binds the payee to it: whoever redirects a payment makes one too.",
    ),
  ]
}

/** Rows of evidence that is a stale source: the answer is not decided and not charged. */
export const BINDING_ENDED: readonly UnchargedReason[] = [
  {
    code: "PAYEE_BINDING_EXPIRED",
    decision: "NO_DECISION",
    why: "The evidence that binds the payee to the company is past its own end.",
    remediation: "RENEW_PAYEE_BINDING_EVIDENCE",
  },
  {
    code: "PAYEE_BINDING_TOO_OLD",
    decision: "NO_DECISION",
    why: "The payee was verified longer ago than the policy accepts, whatever the evidence says of its own end.",
    remediation: "RENEW_PAYEE_BINDING_EVIDENCE",
  },
]
