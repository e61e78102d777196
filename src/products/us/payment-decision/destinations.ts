/** Where a supplier's money went, as far as this organization authorized it (rulings 47). */
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
  /** ms. */
  readonly at: number
}

/**
 * Delivered ALLOWs, spent change authorizations, and what the fee wallet had verified for this very payee and destination; newest first of
 * each. Nothing that a lost key signed is among them. How old a verification may be is the policy's to say.
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
 * Newest first. A token that its holder redeemed counts as one that a decision spends does, and no more (rulings 48): signed by another key
 * than the request's, and changing the destination that was the last one then. Else one key could redeem its own word into history.
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

/** The wallet as records of the eight products name their owner. */
export function feePayer({ decision_fee_payer: wallet }: Pick<DecisionRequest, "decision_fee_payer">): string {
  return wallet.toLowerCase()
}
