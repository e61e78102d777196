/**
 * The US Payment Decision: maps request, facts and policy to the core of the response. Pure and total, so that the same three inputs give
 * the same bytes on any machine at any time. It moves no money and permits no transfer by itself.
 */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionCore } from "../../../../schemas/us/decision-response.ts"
import {
  type DecisionRequest,
  PAYMENT_DECISION_PRODUCT,
  type Tolerance,
} from "../../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { ALWAYS_STATED } from "../../../checks/policy/answer-policy.ts"
import { type Combined, combineGates } from "../../../checks/policy/combine.ts"
import { requestDigest } from "../../../checks/policy/digests.ts"
import { evidenceBundle } from "../../../checks/policy/evidence.ts"
import type { GateFindings, GateId, GateResult } from "../../../checks/policy/gate.ts"
import { companyIdentityGate } from "../../../checks/us/company-identity.ts"
import { continuationGate } from "../../../checks/us/continuation.ts"
import { invoicePayeeGate } from "../../../checks/us/invoice-payee.ts"
import { judgeRecorded } from "../../../checks/us/recorded-supplier.ts"
import { restrictedPartyGate } from "../../../checks/us/restricted-party.ts"
import { checkSupplierIdentifiers, unusedIdentifierLimitations } from "../../../checks/us/supplier-identifiers.ts"
import { vendorChangeGate } from "../../../checks/us/vendor-change.ts"
import { instant } from "../../../core/time.ts"
import { ANSWER, coverage, DECISION_COST, freshness, replayOf, validUntil } from "./core-response.ts"
import { earlierInvoices } from "./earlier-invoices.ts"
import { decisionEvidence } from "./evidence.ts"
import { paymentAuthorityGate } from "./payment-authority.ts"
import type { PaymentDecisionPolicy } from "./policy.ts"
import { assessRisk } from "./risk.ts"
import { stricterTolerance } from "./tolerance.ts"

export function decide(request: DecisionRequest, facts: DecisionFacts, policy: PaymentDecisionPolicy): DecisionCore {
  const tolerance = decisionTolerance(request, facts)
  const supplier = checkSupplierIdentifiers(request.supplier.identifiers)
  const evidence = decisionEvidence(request, facts, supplier.identifiers)
  const combined = combineGates(
    policy,
    tolerance,
    runGates(request, facts, policy).map((result) => ({ ...result, evidenceIds: evidence.of[result.gate] })),
  )
  const { decision, machineAction } = ANSWER[combined.outcome]
  const riskSignals = signalsOf(combined, policy)
  const uncertain = combined.reasons.filter((row) => row.outcome === "INCONCLUSIVE" || row.code === "SOURCE_AGING")
  return {
    schema_version: "1.0.0",
    product: PAYMENT_DECISION_PRODUCT,
    product_version: "1.0.0",
    request_id: facts.request_id,
    decision_request_id: facts.decision_request_id,
    decision_id: facts.decision_id,
    request_digest: requestDigest(request),
    policy: { id: policy.id, version: policy.version },
    decision,
    machine_action: machineAction,
    reason_codes: reasonCodes(combined, policy, facts),
    conditions: remediationOf(combined, ["CONDITION"]),
    remediation: remediationOf(combined, ["BLOCK", "HOLD", "INCONCLUSIVE", "CONDITION"]),
    risk_signals: riskSignals,
    checks_executed: [...combined.executed],
    checks_waived: [...combined.waived],
    economic_risk: assessRisk({
      decisionFee: DECISION_COST,
      exposureAtomic: request.payment_exposure_usdc_equivalent_atomic,
      valuationBasis: request.exposure_valuation_basis,
      base: policy.thresholds.risk_base,
      priors: policy.thresholds.risk_priors.filter(({ signal }) => riskSignals.includes(signal)),
      policyVersion: policy.version,
      assessedAt: facts.at,
    }),
    decision_cost: DECISION_COST,
    coverage: coverage([
      ...combined.limitations,
      ...(facts.supplier_set?.name_changed ? ["SUPPLIER_NAME_CHANGED"] : []),
      ...unusedIdentifierLimitations(request.supplier.identifiers),
    ]),
    freshness: freshness(facts),
    uncertainty: { present: uncertain.length > 0, reason_codes: uncertain.map((row) => row.code) },
    evidence_bundle: evidenceBundle(evidence.observations),
    replay: replayOf(facts),
    valid_as_of: facts.at,
    valid_until: validUntil(facts, request.buyer_mandate.payload.valid_until, policy.thresholds.validity_minutes_max),
    payment_executed: false,
  }
}

/** The deciding tolerance: the stricter of the request's and the buyer record's. */
export function decisionTolerance(request: DecisionRequest, facts: Pick<DecisionFacts, "buyer_tolerance">): Tolerance {
  return stricterTolerance(request.risk_policy.tolerance, facts.buyer_tolerance)
}

/** In the order of the gate table. The policy, not this order, decides which code comes first in the answer. */
function runGates(request: DecisionRequest, facts: DecisionFacts, policy: PaymentDecisionPolicy): GateResult<GateId>[] {
  const at = instant(facts.at)
  const mandate = request.buyer_mandate.payload
  const { identifiers, supplierKey } = checkSupplierIdentifiers(request.supplier.identifiers)
  const { thresholds } = policy
  return [
    {
      gate: "COMPANY_IDENTITY",
      ...judgeRecorded(facts, ({ registration }) => companyIdentityGate({ identifiers, registration })),
    },
    {
      gate: "RESTRICTED_PARTY",
      ...judgeRecorded(facts, ({ screening }) =>
        restrictedPartyGate({
          screening,
          sources: facts.sources,
          requiredSources: thresholds.required_sources,
          accepted: "STALE",
          reviewScore: Number(thresholds.restricted_party_review_score[decisionTolerance(request, facts)]),
          at,
        }),
      ),
    },
    {
      gate: "INVOICE_PAYEE",
      ...invoicePayeeGate({
        walletListed: facts.wallet_hits.payee !== null || facts.wallet_hits.payment_destination !== null,
        obligationKey: obligationKey(request.invoice.obligation_id),
        documentDigest: request.invoice.document_digest,
        earlier: earlierInvoices(facts, supplierKey, instant(mandate.valid_from)),
        at,
      }),
    },
    {
      gate: "PAYMENT_AUTHORITY",
      ...paymentAuthorityGate({
        mandate,
        amount: request.amount,
        currency: request.currency,
        exposureAtomic: request.payment_exposure_usdc_equivalent_atomic,
        instructionDigest: request.payment_instruction_digest,
        mandateState: facts.mandate,
        delegationState: facts.delegation,
        earlierDecisions: facts.earlier_decisions,
        exposureDifferencePercentMax: thresholds.exposure_difference_percent_max,
        at,
      }),
    },
    {
      gate: "VENDOR_CHANGE",
      ...vendorChangeGate({
        payeeFingerprint: request.payee.fingerprint,
        destinationFingerprint: request.payment_destination.fingerprint,
        knownDestinations: facts.known_destinations,
        references: facts.resolved_references,
        isContradicted: facts.supplier_set?.state === "CONTRADICTED",
        hasMoreLinked: facts.supplier_set?.more_linked ?? false,
        payeeVerificationDaysMax: thresholds.payee_verification_days_max,
        at,
      }),
    },
    { gate: "CONTINUATION", ...priorGate(facts) },
  ]
}

function priorGate({ prior_authorization: prior, ...facts }: DecisionFacts): GateFindings {
  if (prior === null) return continuationGate(null)
  return judgeRecorded({ ...facts, screening: prior.screening }, continuationGate)
}

/** Returns the codes that led to the outcome, then those that every decision states. An ALLOW has the closing rows of the policy. */
function reasonCodes(combined: Combined, policy: PaymentDecisionPolicy, { rules }: DecisionFacts): string[] {
  const fired = combined.reasons.filter((row) => row.outcome !== "PASS").map((row) => row.code)
  if (combined.outcome !== "PASS") return rules === undefined ? fired : [...fired, ...ALWAYS_STATED]
  return policy.reasons.filter((row) => row.gate === "DECISION").map((row) => row.code)
}

function remediationOf(combined: Combined, outcomes: readonly string[]): string[] {
  const rows = combined.reasons.filter((row) => outcomes.includes(row.outcome))
  return [...new Set(rows.map((row) => row.remediation))]
}

/** Returns every code found, whatever its outcome, for which the policy declares a prior. */
function signalsOf(combined: Combined, policy: PaymentDecisionPolicy): string[] {
  const declared = new Set(policy.thresholds.risk_priors.map((prior) => prior.signal))
  return [...new Set(combined.reasons.map((row) => row.code).filter((code) => declared.has(code)))]
}
