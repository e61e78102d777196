/** What our own records say of a change of payee, and the hold on its challenge, in the unit that reserves the payment. */
import type { ChangeFacts, PriorAuthorization } from "../../schemas/change-facts.ts"
import { obligationKey } from "../checks/obligation.ts"
import type { Refused } from "../delivery/sale.ts"
import { type AnswerRecord, answerOfExecution } from "../store/sales/answer-records.ts"
import { type Hold, holdConflict, takeHolds } from "../store/sales/holds.ts"
import { isRevoked } from "../store/sales/revoked-changes.ts"
import type { Unit } from "../store/unit.ts"
import type { AnswerOwner } from "./answer-product.ts"

export interface ChangeReferences {
  /** Execution id of an earlier answer; null where the company was never paid. */
  readonly prior: string | null
  readonly challenge: string
}

/**
 * CHOICE: a challenge counts once for its holder, the payer, or the organization that signed whichever wallet pays, and any delivered answer
 * uses it up, whatever it decided. One that another request holds now is a refusal, because that request may yet be given up; one that was
 * used is a fact for the decision. `products` are those whose answers count as prior.
 */
export function* reserveChange(
  { payer, storedRequestId }: AnswerOwner,
  { prior, challenge }: ChangeReferences,
  products: readonly string[],
  holder: string = payer,
): Unit<ChangeFacts | Refused> {
  // Compared as obligations are: a space or another case makes no new challenge.
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

/** Null for an answer on which its payer could not go on: it authorized nothing. */
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
