/**
 * Reads the service's own records about a payment to authorize and takes the hold on its obligation, in the transaction that reserves the
 * sale.
 */
import type { EarlierAnswer } from "../../../../schemas/us/invoice-facts.ts"
import type { Company } from "../../../../schemas/us/operation-request.ts"
import type { ApprovalFact, PaymentAuthorizationRequest } from "../../../../schemas/us/payment-authorization.ts"
import { SUPPLIER_APPROVAL_PRODUCT } from "../../../../schemas/us/supplier-approval.ts"
import type { IfCovered } from "../../../delivery/covered-sale.ts"
import type { Refused } from "../../../delivery/sale.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { answerOfExecution } from "../../../store/sales/answer-records.ts"
import { takeHolds } from "../../../store/sales/holds.ts"
import { readSupplierSet } from "../../../store/sales/supplier-sets.ts"
import type { AnswerOwner } from "../../common/answer-product.ts"
import type { RecordedCompany } from "../company-facts.ts"
import { earlierAnswers } from "../earlier-answers.ts"
import { obligationHolds } from "../obligation-holds.ts"
import { namingOf } from "../supplier-naming.ts"
import { vouchesForCompany } from "../vouching-answer.ts"
import { checkNotCovered } from "./earlier-authorization.ts"

interface ReservedAuthorization extends RecordedCompany {
  readonly earlier: EarlierAnswer[]
  readonly approval: ApprovalFact | null
}

/** Two requests of one payer for one obligation must never be decided concurrently: neither would see the authorization of the other. */
export function* reserveAuthorization(
  request: PaymentAuthorizationRequest,
  owner: AnswerOwner,
  at: number,
  ifCovered: IfCovered,
): Unit<ReservedAuthorization | Refused> {
  const { payer, storedRequestId } = owner
  const set = yield* readSupplierSet(payer, namingOf(request.company))
  const covered = yield* checkNotCovered(request, { ...owner, set }, at, ifCovered)
  if (covered) return { refused: covered.code, detail: covered.detail, context: covered.context }
  const holds = obligationHolds(request.invoice.obligation_id, set)
  const conflict = yield* takeHolds(payer, storedRequestId, holds)
  if (conflict) {
    const detail = "Another request of this payer holds this obligation."
    return { refused: "DECISION_IN_PROGRESS", detail, context: { retryAfterSeconds: 5 } }
  }
  return {
    earlier: yield* earlierAnswers(payer, request, set),
    approval: yield* approvalOf(payer, request.supplier_approval_reference, request.company),
    recorded: set.recorded,
  }
}

/**
 * Returns null if the reference belongs to no approval of this payer, or to an answer that approved nothing. `payer` null: of any payer.
 */
export function* approvalOf(payer: string | null, reference: string, company: Company): Unit<ApprovalFact | null> {
  const record = yield* answerOfExecution(payer, reference)
  if (record?.product !== SUPPLIER_APPROVAL_PRODUCT) return null
  const { executionId, decision, subject, nameKey, decidedAt, validUntil } = record
  if (decision !== "APPROVE" && decision !== "CONDITIONAL") return null
  return {
    execution_id: executionId,
    decision,
    supplier_key: subject,
    name_key: nameKey,
    decided_at: decidedAt,
    valid_until: validUntil,
    vouches: yield* vouchesForCompany(record, company),
  }
}
