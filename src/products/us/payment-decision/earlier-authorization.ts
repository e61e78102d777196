/** Checks whether a valid decision of this organization already covers the obligation of a request (Interface, rule 8; rulings 67). */
import { type DecisionRequest, PAYMENT_DECISION_PATH } from "../../../../schemas/us/payment-decision.ts"
import type { ServiceError } from "../../../base/errors.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { shareIdentifier } from "../../../checks/us/supplier-identifiers.ts"
import { amountMillionths } from "../../../core/money.ts"
import { formatInstant } from "../../../core/time.ts"
import { obligationRefusal, reusableRefusal } from "../../../delivery/covered-sale.ts"
import { lateDecisionRefusal } from "../../../delivery/late-decision.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { type CurrentDecision, currentDecisions } from "../../../store/sales/current-authorizations.ts"
import { linkedIds, type SupplierSet } from "../../../store/sales/supplier-sets.ts"
import { scopeOf } from "./records.ts"

/** A valid decision on the same obligation. */
export interface EarlierAuthorization {
  readonly decision: CurrentDecision
  /** Request members that differ from the authorized ones. Empty if the decision covers this exact payment. */
  readonly differing: readonly string[]
}

/**
 * Returns the decision that covers this exact payment, else the decision on the obligation that expires last. Null if none is valid at `at`
 * (ms). A decision that was sold to `ownRequestId` itself does not count.
 */
export function* readEarlierAuthorization(
  request: DecisionRequest,
  set: SupplierSet,
  at: number,
  ownRequestId: string | null,
): Unit<EarlierAuthorization | null> {
  const { identifiers } = request.supplier
  const linked = linkedIds(set)
  const current = yield* currentDecisions(
    request.buyer.organization_id,
    obligationKey(request.invoice.obligation_id),
    formatInstant(at),
    ({ supplierId, requestJson }) =>
      (supplierId !== null && linked.includes(supplierId)) ||
      shareIdentifier(identifiers, (JSON.parse(requestJson) as DecisionRequest).supplier.identifiers),
  )
  const found = current
    .filter(({ requestId }) => requestId !== ownRequestId)
    .map((decision) => ({ decision, differing: differingMembers(request, set, decision) }))
  return found.find(({ differing }) => differing.length === 0) ?? found[0] ?? null
}

/** CHOICE: another document for the same obligation, supplier, destination and amount is another picture of the same payment. */
function differingMembers(request: DecisionRequest, set: SupplierSet, earlier: CurrentDecision): readonly string[] {
  const stored = JSON.parse(earlier.requestJson) as DecisionRequest
  // A supplier that is only linked by its name may be another one.
  const isSame =
    (earlier.supplierId !== null && set.members.includes(earlier.supplierId)) ||
    shareIdentifier(request.supplier.identifiers, stored.supplier.identifiers)
  return [
    !isSame && "/supplier",
    request.payee.fingerprint !== earlier.payeeFingerprint && "/payee",
    request.payment_destination.fingerprint !== earlier.destinationFingerprint && "/payment_destination",
    amountMillionths(request.amount) !== amountMillionths(stored.amount) && "/amount",
    request.currency !== stored.currency && "/currency",
    request.payment_instruction_digest !== earlier.instructionDigest && "/payment_instruction_digest",
  ].filter((pointer) => pointer !== false)
}

/** Returns the rejection, or null if no decision covers the obligation. Names the recovery route to the agent that bought the decision. */
export function judgeEarlierAuthorization({
  request,
  at,
  earlier,
  baseUrl,
}: {
  readonly request: DecisionRequest
  readonly at: number
  readonly earlier: EarlierAuthorization | null
  readonly baseUrl: string
}): ServiceError | null {
  if (earlier === null) return null
  const { decision, differing } = earlier
  const isOwn = decision.scope === scopeOf(request)
  if (decision.replaceableUntil !== null) return lateDecisionRefusal(decision.validUntil, at, isOwn)
  if (differing.length > 0) return obligationRefusal(differing)
  const { decisionId, responseDigest, validUntil } = decision
  return reusableRefusal({
    answerId: decisionId,
    responseDigest,
    validUntil,
    ...(isOwn && { recover: `${baseUrl}${PAYMENT_DECISION_PATH}/recover` }),
  })
}
