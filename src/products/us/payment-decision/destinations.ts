/** The destinations of a supplier that this organization authorized (rulings 47). */
import type { KnownDestination } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { GATES } from "../../../checks/policy/gate.ts"
import { stillVouches } from "../../../checks/us/compromise.ts"
import { lastDestination } from "../../../checks/us/vendor-change.ts"
import { instant } from "../../../core/time.ts"
import type { TokenBinding } from "../../../core/token-binding.ts"
import { findCompromisedKeys } from "../../../store/buyers/compromised-keys.ts"
import { answersOfSubject } from "../../../store/sales/answer-records.ts"
import { allowedOfSupplier } from "../../../store/sales/authorization-records.ts"
import { type SpentChange, spentChangesOf } from "../../../store/sales/change-authorizations.ts"
import type { Unit } from "../../../store/unit.ts"

export interface RecordContext {
  readonly supplierKey: string
  /** Milliseconds. */
  readonly at: number
}

/**
 * Returns delivered ALLOWs, used change authorizations, and verifications that the fee wallet bought for this payee and destination, newest
 * first in each group. It leaves out entries that are invalid because the signing key was compromised. The policy limits the age of a
 * verification.
 */
export function* readDestinations(request: DecisionRequest, { supplierKey }: RecordContext): Unit<KnownDestination[]> {
  const { organization_id: organizationId } = request.buyer
  const decided = yield* allowedOfSupplier(organizationId, supplierKey)
  const changes = yield* spentChangesOf(organizationId, supplierKey)
  const signers = [...decided.map(({ mandateKeyId }) => mandateKeyId), ...changes.map(({ keyId }) => keyId)]
  const compromised = yield* findCompromisedKeys(organizationId, signers)
  const allowed = decided
    .filter((record) => stillVouches({ keyId: record.mandateKeyId, signedAt: record.decidedAt }, compromised))
    .map((record) => ({
      fingerprint: record.destinationFingerprint,
      basis: "ALLOW" as const,
      reference: record.responseDigest,
      recorded_at: record.decidedAt,
    }))
  const spent = changes.filter(
    ({ keyId, decidedAt }) => keyId !== null && stillVouches({ keyId, signedAt: decidedAt }, compromised),
  )
  const changed = changesMade(spent, allowed, request.requesting_agent.key_id)
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

/**
 * Newest first. A token redeemed by its holder counts like one that a decision used, under the same conditions (rulings 48): another key
 * than the request's signed it, and it changed the destination that was the last one then. Otherwise one key could add its own claim to the
 * history.
 */
function changesMade(spent: readonly SpentChange[], allowed: readonly KnownDestination[], ownKey: string) {
  const made: KnownDestination[] = []
  for (const change of spent.toReversed()) {
    const { keyId, changedAt, destinationFingerprint: fingerprint, evidenceReference: reference } = change
    if (changedAt === null || fingerprint === null) continue
    const before = [...allowed, ...made].filter(({ recorded_at: at }) => instant(at) <= instant(changedAt))
    const last = lastDestination(before)?.fingerprint ?? null
    const { current_payee_fingerprint: current } = JSON.parse(change.bindingJson) as TokenBinding
    const continues = last === null || last === current || last === fingerprint
    if (change.spentBy === null && (keyId === ownKey || !continues)) continue
    made.push({ fingerprint, basis: "CHANGE_AUTHORIZATION", reference, recorded_at: changedAt })
  }
  return made.reverse()
}

/** The wallet in the form in which records of the eight products name their owner. */
export function feePayer({ decision_fee_payer: wallet }: Pick<DecisionRequest, "decision_fee_payer">): string {
  return wallet.toLowerCase()
}
