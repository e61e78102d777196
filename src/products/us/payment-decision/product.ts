/** Adapts the US Payment Decision to the delivery path. */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionCore } from "../../../../schemas/us/decision-response.ts"
import {
  type DecisionRequest,
  PAYMENT_DECISION_PATH,
  PAYMENT_DECISION_PRICE,
  PAYMENT_DECISION_PRODUCT,
} from "../../../../schemas/us/payment-decision.ts"
import type { ProofCapsule } from "../../../../schemas/us/proof-capsule.ts"
import { ServiceError } from "../../../base/errors.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { DECISION_FEE_ATOMIC } from "../../../checks/us/mandate.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { legalNameKey } from "../../../core/legal-name-key.ts"
import type { Signer } from "../../../core/signer.ts"
import { DAY, instant } from "../../../core/time.ts"
import type { Computed, FinalBody, PaidProduct, SettlementFacts, StoredRequest } from "../../../delivery/sale.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { AUTHORIZING, keepRecord } from "../../../store/sales/authorization-records.ts"
import { spendChangeAuthorization } from "../../../store/sales/change-authorizations.ts"
import type { ComputedDelivery } from "../../../store/sales/deliveries.ts"
import { joinSupplier } from "../../../store/sales/supplier-joins.ts"
import { judgeSources } from "../../common/quote-checks.ts"
import { named } from "../registered-name.ts"
import { registeredNames } from "../supplier-naming.ts"
import { decide } from "./decide.ts"
import { type FactContext, gatherFacts } from "./gather-facts.ts"
import { obligationOf } from "./holds.ts"
import { PAYMENT_DECISION_POLICY } from "./policy.ts"
import { asStored } from "./present.ts"
import { supplierNaming } from "./records.ts"
import { type ReservedRecords, reserveDecision } from "./reserve-records.ts"
import { finishDelivery, sealDecision } from "./seal.ts"
import { collisionRefusal } from "./supplier-checks.ts"

type DecisionSources = Parameters<typeof judgeSources>[0]

export interface DecisionDeps extends Omit<FactContext, "issuer" | "baseUrl"> {
  readonly signer: () => Signer
  readonly baseUrl: () => string
}

export function paymentDecision(deps: DecisionDeps, row: DecisionSources): PaidProduct {
  return {
    id: PAYMENT_DECISION_PRODUCT,
    path: PAYMENT_DECISION_PATH,
    description: "US Payment Decision, one delivered decision",
    priceAtomic: DECISION_FEE_ATOMIC,
    price: PAYMENT_DECISION_PRICE.amount,
    reviewDuty: "REVIEW_QUOTE_BEFORE_PAYMENT",
    owner: "SIGNER",
    recoverPath: `${PAYMENT_DECISION_PATH}/recover`,
    subjectOf: (stored) => obligationOf(JSON.parse(stored.requestJson) as DecisionRequest),
    reserve: (stored, at, ifCovered) => reserveDecision(stored, at, ifCovered, deps.baseUrl()),
    compute: async (stored, records, at) => compute(deps, row, stored, records as ReservedRecords, at),
    finish,
    judgeSources: async (at) => ({ sources: row.sources(null, at), refusal: judgeSources(row, null, at) }),
    present: ({ body }) => asStored(body),
    remember,
  }
}

/** Throws SOURCE_* if a list became unusable since the quote. Then nothing is charged (rulings 27). */
function compute(
  deps: DecisionDeps,
  row: DecisionSources,
  stored: StoredRequest,
  records: ReservedRecords,
  at: number,
): Computed {
  const request = JSON.parse(stored.requestJson) as DecisionRequest
  const refusal = judgeSources(row, request, at)
  if (refusal) throw refusal
  const signer = deps.signer()
  const context = { ...deps, issuer: signer.issuer, baseUrl: deps.baseUrl() }
  const facts = gatherFacts(context, request, stored.id, records, at)
  // If the register that supplied the name became unusable since the quote, there is no name to screen. Then nothing is charged.
  if (named(request.supplier, facts.registration).legal_name === undefined) {
    const detail = "The register that names this supplier cannot be asked now."
    throw new ServiceError("SOURCE_UNAVAILABLE", detail, {
      reasonCodes: ["REGISTER_UNAVAILABLE"],
      retryAfterSeconds: 300,
    })
  }
  const { set, isRefusable } = records.supplier
  // Only the name can be left, which no register confirmed. The rest was refused before.
  if (isRefusable && facts.supplier_set?.state === "CONTRADICTED") {
    const refused = collisionRefusal(request, set.contradictions)
    if (refused) throw refused
  }
  const core = decide(request, facts, PAYMENT_DECISION_POLICY)
  const capsule = sealDecision(core, request, facts, signer)
  return {
    answerId: core.decision_id,
    deliveryReference: facts.delivery_reference,
    coreJson: canonicalize(core),
    factsJson: canonicalize(facts),
    capsuleJson: canonicalize(capsule),
    capsuleDigest: capsule.capsule_digest,
    keyId: signer.keyId,
    validUntil: core.valid_until,
    computedAt: facts.at,
    attachmentId: null,
    attachmentJson: null,
    // CHOICE: a delivery does not keep the snapshot of a register that it used. The facts contain the look-up result, and each publication
    // would otherwise keep a gigabyte for ever.
    snapshotIds: facts.sources.map((source) => source.snapshot_id),
  }
}

function finish(computed: ComputedDelivery, settlement: SettlementFacts): FinalBody {
  const core = JSON.parse(computed.coreJson) as DecisionCore
  const { response, bytes, responseDigest } = finishDelivery(core, JSON.parse(computed.capsuleJson) as ProofCapsule, {
    settlementReference: settlement.reference,
    deliveryReference: computed.deliveryReference,
  })
  return { body: new TextDecoder().decode(bytes), responseDigest, decision: response.decision, tokenHash: null }
}

/** Stores the decision as a record that later decisions of the same organization read, and marks what it relied on as used. */
function* remember(stored: StoredRequest, computed: ComputedDelivery, final: FinalBody): Unit<void> {
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
