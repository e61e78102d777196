import type { Observation } from "../../../../schemas/observation.ts"
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { callerStatement, ownRecords } from "../../../checks/attested-evidence.ts"
import type { GateId } from "../../../checks/policy/gate.ts"
import { registrationObservation, screeningObservation } from "../../../checks/policy/observation.ts"
import { recordedScreenings } from "../../../checks/us/recorded-supplier.ts"
import type { CheckedIdentifier } from "../../../checks/us/supplier-identifiers.ts"
import { identityEvidence } from "../../../checks/us/us-company.ts"
import { invoiceEvidence } from "../../../checks/us/us-invoice.ts"

interface DecisionEvidence {
  readonly observations: readonly Observation[]
  /** Ids of the observations that each gate uses. */
  readonly of: Readonly<Record<GateId, readonly string[]>>
}

/**
 * Converts request and facts to observations: the lists, the registers, the caller's own statements labelled as such, and the service's
 * records.
 */
export function decisionEvidence(
  request: DecisionRequest,
  facts: DecisionFacts,
  identifiers: readonly CheckedIdentifier[],
): DecisionEvidence {
  const { at, wallet_hits: wallets } = facts
  const walletHits = [wallets.payee, wallets.payment_destination].filter((hit) => hit !== null)
  const recorded = recordedScreenings(facts)
  const lists = facts.sources.map((source) => screeningObservation(source, facts.screening, walletHits, recorded))
  const registrations = (facts.registration?.lookups ?? []).map(registrationObservation)
  const identity = identityEvidence(at, identifiers, request.supplier)
  const invoice = invoiceEvidence(request.invoice, at)
  const payment = callerStatement(
    { sourceId: "CALLER_PAYMENT_DETAILS", kind: "payment-details", at },
    {
      payee: request.payee,
      payment_destination: request.payment_destination,
      payment_instruction_digest: request.payment_instruction_digest,
    },
  )
  const mandateStates = [`MANDATE_STATE:${facts.mandate.state}`, `DELEGATION_STATE:${facts.delegation.state}`]
  const mandate = callerStatement(
    { sourceId: "BUYER_MANDATE", kind: "buyer-mandate", at, claims: mandateStates },
    // Includes the request signature, which no request digest covers. Replay therefore detects any edit of the stored request.
    { requesting_agent: request.requesting_agent, buyer_mandate: request.buyer_mandate },
  )
  const records = recordsEvidence(facts)
  const ids = (...observations: readonly Observation[]) => observations.map((one) => one.evidence_id)
  return {
    observations: [...lists, ...registrations, identity, invoice, payment, mandate, records],
    of: {
      COMPANY_IDENTITY: ids(...registrations, identity),
      RESTRICTED_PARTY: ids(...lists, identity),
      INVOICE_PAYEE: ids(...lists, invoice, payment, records),
      PAYMENT_AUTHORITY: ids(mandate, payment, records),
      VENDOR_CHANGE: ids(payment, records),
      CONTINUATION: ids(...lists, records),
    },
  }
}

function recordsEvidence(facts: DecisionFacts): Observation {
  const content = {
    earlier_decisions: facts.earlier_decisions,
    known_destinations: facts.known_destinations,
    resolved_references: facts.resolved_references,
    prior_authorization: facts.prior_authorization,
    registration: facts.registration,
    ...(facts.supplier_set && { supplier_set: facts.supplier_set }),
    ...(facts.recorded_supplier && { recorded_supplier: facts.recorded_supplier }),
  }
  const claims = [
    `EARLIER_DECISIONS:${facts.earlier_decisions.length}`,
    `KNOWN_DESTINATIONS:${facts.known_destinations.length}`,
    `RESOLVED_REFERENCES:${facts.resolved_references.length}`,
  ]
  return ownRecords(facts.at, claims, content)
}
