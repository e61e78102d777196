/** Checks whether a valid authorization of this payer already covers the obligation of a request (Interface, rule 8; rulings 67). */
import {
  PAYMENT_AUTHORIZATION_PRODUCT,
  type PaymentAuthorizationRequest,
} from "../../../../schemas/us/payment-authorization.ts"
import type { ServiceError } from "../../../base/errors.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { shareIdentifier } from "../../../checks/us/supplier-identifiers.ts"
import { amountMillionths } from "../../../core/money.ts"
import { formatInstant } from "../../../core/time.ts"
import { type IfCovered, obligationRefusal, reusableRefusal } from "../../../delivery/covered-sale.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { type CurrentAnswer, currentAnswers } from "../../../store/sales/current-authorizations.ts"
import { linkedIds, type SupplierSet } from "../../../store/sales/supplier-sets.ts"
import type { AnswerOwner } from "../../common/answer-product.ts"
import { AUTHORIZATION_USED } from "./policy.ts"

/**
 * Returns the rejection. Returns null if no valid authorization covers the obligation, or if the request must be decided anyway. `at` is in
 * milliseconds. CHOICE: an authorization whose token was used cannot be reused: the obligation was paid on it.
 */
export function* checkNotCovered(
  request: PaymentAuthorizationRequest,
  { payer, storedRequestId, set }: AnswerOwner & { readonly set: SupplierSet },
  at: number,
  ifCovered: IfCovered,
): Unit<ServiceError | null> {
  if (ifCovered === "DECIDE") return null
  const { identifiers } = request.company
  const linked = linkedIds(set)
  const current = yield* currentAnswers(
    {
      owner: payer,
      product: PAYMENT_AUTHORIZATION_PRODUCT,
      obligationKey: obligationKey(request.invoice.obligation_id),
    },
    formatInstant(at),
    ({ supplierId, requestJson }) =>
      (supplierId !== null && linked.includes(supplierId)) ||
      shareIdentifier(identifiers, (JSON.parse(requestJson) as PaymentAuthorizationRequest).company.identifiers),
  )
  const found = current
    .filter(({ requestId }) => requestId !== storedRequestId)
    .map((answer) => ({ answer, differing: differingMembers(request, set, answer) }))
  const [earlier] = found
  if (!earlier) return null
  if (ifCovered === "REFUSE") return obligationRefusal([])
  const same = found.filter(({ differing }) => differing.length === 0)
  const reusable = same.find(({ answer }) => answer.tokenState === "ISSUED")
  if (!reusable)
    return same.length > 0 ? obligationRefusal([], [AUTHORIZATION_USED]) : obligationRefusal(earlier.differing)
  const { executionId, coreDigest, validUntil } = reusable.answer
  return reusableRefusal({ answerId: executionId, responseDigest: coreDigest, validUntil })
}

/** The obligation is equal, because the record was found by it. A company that is only linked by its name may be another one. */
function differingMembers(
  request: PaymentAuthorizationRequest,
  set: SupplierSet,
  earlier: CurrentAnswer,
): readonly string[] {
  const stored = JSON.parse(earlier.requestJson) as PaymentAuthorizationRequest
  const isSame =
    (earlier.supplierId !== null && set.members.includes(earlier.supplierId)) ||
    shareIdentifier(request.company.identifiers, stored.company.identifiers)
  return [
    !isSame && "/company",
    request.payee_fingerprint !== stored.payee_fingerprint && "/payee_fingerprint",
    amountMillionths(request.amount) !== amountMillionths(stored.amount) && "/amount",
    request.currency !== stored.currency && "/currency",
  ].filter((pointer) => pointer !== false)
}
