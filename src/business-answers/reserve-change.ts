/**
 * Reads the service's own records for a change of payee and takes the hold on its challenge, in the transaction that reserves the payment.
 */
import type { ChangeFacts, PriorAuthorization } from "../../schemas/change-facts.ts"
import { obligationKey } from "../checks/obligation.ts"
import type { Refused } from "../delivery/sale.ts"
import { type AnswerRecord, answerOfExecution } from "../store/sales/answer-records.ts"
import { type Hold, holdConflict, takeHolds } from "../store/sales/holds.ts"
import { isRevoked } from "../store/sales/revoked-changes.ts"
import type { Unit } from "../store/unit.ts"
import type { AnswerOwner } from "./answer-product.ts"

export interface ChangeReferences {
  /** Execution id of an earlier answer, or null if the company was never paid. */
  readonly prior: string | null
  readonly challenge: string
}

/**
 * CHOICE: a challenge can be used once per holder. The holder is the payer, or the signing organization whichever wallet pays. Any
 * delivered answer uses the challenge up, whatever it decided. If another running request holds the challenge, this request is rejected,
 * because the other one may still be released. A used challenge is a fact for the decision. `products` are the products whose answers count
 * as prior.
 */
export function* reserveChange(
  { payer, storedRequestId }: AnswerOwner,
  { prior, challenge }: ChangeReferences,
  products: readonly string[],
  holder: string = payer,
): Unit<ChangeFacts | Refused> {
  // Compared like obligation ids: a space or another case does not make a new challenge.
  const hold: Hold = { kind: "CHALLENGE", value: obligationKey(challenge) }
  const conflict = yield* holdConflict(holder, hold, storedRequestId)
  if (conflict && !conflict.spent) {
    const detail = "Another request holds this challenge."
    return { refused: "DECISION_IN_PROGRESS", detail, context: { retryAfterSeconds: 5 } }
  }
  const record = prior === null ? null : yield* answerOfExecution(payer, prior)
  const counts = record !== null && products.includes(record.product) && !(yield* isRevoked(record.executionId))
  if (!conflict) yield* takeHolds(holder, storedRequestId, [hold])
  return { prior_authorization: counts ? authorizationOf(record) : null, challenge_reused: conflict !== null }
}

/** Returns null for an answer that did not allow its payer to continue: it authorized nothing. */
function authorizationOf(record: AnswerRecord): PriorAuthorization | null {
  const { decision, payeeFingerprint } = record
  if ((decision !== "APPROVE" && decision !== "CONDITIONAL") || payeeFingerprint === null) return null
  return {
    execution_id: record.executionId,
    product: record.product,
    decision,
    subject: record.subject,
    payee_fingerprint: payeeFingerprint,
    decided_at: record.decidedAt,
  }
}
