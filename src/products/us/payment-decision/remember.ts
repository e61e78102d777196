import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { legalNameKey } from "../../../core/legal-name-key.ts"
import { DAY, instant } from "../../../core/time.ts"
import type { FinalBody, SoldTo, StoredRequest } from "../../../delivery/sale.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { AUTHORIZING, keepRecord } from "../../../store/sales/authorization-records.ts"
import { spendChangeAuthorization } from "../../../store/sales/change-authorizations.ts"
import type { ComputedDelivery } from "../../../store/sales/deliveries.ts"
import { joinSupplier } from "../../../store/sales/supplier-joins.ts"
import { companyParty, registeredNames } from "../supplier-naming.ts"
import { feePayer } from "./destinations.ts"
import { PAYMENT_DECISION_POLICY } from "./policy.ts"
import { supplierNaming } from "./records.ts"

/** Stores the decision as a record that later decisions of the same organization read, and marks what it relied on as used. */
export function* rememberDecision(stored: StoredRequest, computed: ComputedDelivery, final: FinalBody): Unit<SoldTo> {
  const request = JSON.parse(stored.requestJson) as DecisionRequest
  const facts = JSON.parse(computed.factsJson) as DecisionFacts
  for (const { kind, reference } of facts.resolved_references) {
    if (kind !== "CHANGE_AUTHORIZATION") continue
    // INVARIANT: the attempt took the hold on it, so no other request has redeemed, revoked or used it since.
    if (!(yield* spendChangeAuthorization(reference, stored.id, instant(facts.at)))) {
      throw new Error("a change authorization that a decision relied on was spent by another")
    }
  }
  const organizationId = request.buyer.organization_id
  const { fingerprint } = request.payment_destination
  const delivered = {
    ownerId: organizationId,
    requestId: stored.id,
    naming: supplierNaming(request),
    destination: fingerprint,
    decidedAt: facts.at,
    keyId: request.buyer_mandate.signature.key_id,
    registered: registeredNames(facts.registration),
    isVerified: isVerified(facts, fingerprint),
  }
  yield* keepRecord({
    requestId: stored.id,
    supplierId: AUTHORIZING.includes(final.decision) ? yield* joinSupplier(delivered) : null,
    organizationId,
    supplierKey: checkSupplierIdentifiers(request.supplier.identifiers).supplierKey ?? "",
    supplierEntityId: request.supplier.entity_id,
    supplierNameKey: legalNameKey(request.supplier.legal_name ?? ""),
    obligationKey: obligationKey(request.invoice.obligation_id),
    documentDigest: request.invoice.document_digest,
    instructionDigest: request.payment_instruction_digest,
    payeeFingerprint: request.payee.fingerprint,
    destinationFingerprint: fingerprint,
    mandateKeyId: request.buyer_mandate.signature.key_id,
    decision: final.decision,
    decisionId: computed.answerId,
    responseDigest: final.responseDigest,
    decidedAt: facts.at,
    validUntil: computed.validUntil,
  })
  return decisionSoldTo(request, facts)
}

/** `facts`: of a decision of any release. */
export function decisionSoldTo(
  request: DecisionRequest,
  { registration }: Pick<DecisionFacts, "registration">,
): SoldTo {
  return { payer: feePayer(request), party: companyParty(request.supplier, registration) }
}

/** Whether a change authorization or a payee verification supports the destination. */
function isVerified(facts: DecisionFacts, fingerprint: string): boolean {
  const latest = instant(facts.at) - PAYMENT_DECISION_POLICY.thresholds.payee_verification_days_max * DAY
  return (
    facts.resolved_references.some(
      (one) =>
        one.destination_fingerprint === fingerprint &&
        (one.kind === "CHANGE_AUTHORIZATION" ||
          (one.kind === "PAYEE_VERIFICATION" && instant(one.decided_at) >= latest)),
    ) ||
    facts.known_destinations.some(
      (one) =>
        one.fingerprint === fingerprint &&
        one.basis === "PAYEE_VERIFICATION" &&
        one.vouches === true &&
        instant(one.recorded_at) >= latest,
    )
  )
}
