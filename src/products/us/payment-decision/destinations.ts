/** Where a supplier's money went, as far as this organization authorized it (rulings 47). */
import type { KnownDestination } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { stillVouches } from "../../../checks/compromise.ts"
import { GATES } from "../../../checks/gate.ts"
import { answersOfSubject } from "../../../store/answer-records.ts"
import { allowedOfSupplier } from "../../../store/authorization-records.ts"
import { spentChangesOf } from "../../../store/change-authorizations.ts"
import type { CompromisedKey } from "../../../store/compromised-keys.ts"
import type { Unit } from "../../../store/unit.ts"

export interface RecordContext {
  readonly supplierKey: string
  /** ms. */
  readonly at: number
  readonly compromised: readonly CompromisedKey[]
}

/**
 * Delivered ALLOWs, spent change authorizations, and what the fee wallet had verified for this very payee and destination; newest first of
 * each. Nothing that a lost key signed is among them. How old a verification may be is the policy's to say.
 */
export function* readDestinations(
  request: DecisionRequest,
  { supplierKey, compromised }: RecordContext,
): Unit<KnownDestination[]> {
  const { organization_id: organizationId } = request.buyer
  const allowed = (yield* allowedOfSupplier(organizationId, supplierKey))
    .filter((record) => stillVouches({ keyId: record.mandateKeyId, signedAt: record.decidedAt }, compromised))
    .map((record) => ({
      fingerprint: record.destinationFingerprint,
      basis: "ALLOW" as const,
      reference: record.responseDigest,
      recorded_at: record.decidedAt,
    }))
  const changed = (yield* spentChangesOf(organizationId, supplierKey)).flatMap((change) => {
    const { keyId, decidedAt, changedAt, destinationFingerprint: fingerprint, evidenceReference: reference } = change
    if (keyId === null || changedAt === null || fingerprint === null) return []
    if (!stillVouches({ keyId, signedAt: decidedAt }, compromised)) return []
    return [{ fingerprint, basis: "CHANGE_AUTHORIZATION" as const, reference, recorded_at: changedAt }]
  })
  const verified = (yield* answersOfSubject(feePayer(request), GATES.INVOICE_PAYEE, supplierKey))
    .filter(
      (record) =>
        record.decision === "APPROVE" &&
        record.payeeFingerprint === request.payee.fingerprint &&
        record.destinationFingerprint === request.payment_destination.fingerprint,
    )
    .map((record) => ({
      fingerprint: request.payment_destination.fingerprint,
      basis: "PAYEE_VERIFICATION" as const,
      reference: record.coreDigest,
      recorded_at: record.decidedAt,
    }))
  return [...allowed, ...changed, ...verified]
}

/** The wallet as records of the eight products name their owner. */
export function feePayer({ decision_fee_payer: wallet }: Pick<DecisionRequest, "decision_fee_payer">): string {
  return wallet.toLowerCase()
}
