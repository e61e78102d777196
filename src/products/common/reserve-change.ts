/**
 * Reads the service's own records for a change of payee and takes the hold on its challenge, in the transaction that reserves the payment.
 */
import type { ChangeFacts, PriorAuthorization } from "../../../schemas/change-facts.ts"
import { obligationKey } from "../../checks/obligation.ts"
import type { Refused } from "../../delivery/sale.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { type AnswerRecord, answerOfExecution } from "../../store/sales/answer-records.ts"
import { type Hold, holdConflict, spentBy, takeHolds } from "../../store/sales/holds.ts"
import { findRequest } from "../../store/sales/requests.ts"
import { isRevoked } from "../../store/sales/revoked-changes.ts"
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
  if (!conflict) yield* takeHolds(holder, storedRequestId, [hold])
  return { prior_authorization: yield* priorAuthorization(payer, prior, products), challenge_reused: conflict !== null }
}

/** What a request for a change names, whoever bought it. The use of a challenge is a record of its holder, who is not known yet. */
export function* namedChange(prior: string | null, products: readonly string[]): Unit<ChangeFacts> {
  return { prior_authorization: yield* priorAuthorization(null, prior, products), challenge_reused: false }
}

/** The request that was delivered on this challenge; null if there is none. */
export function* challengeUser(holder: string, challenge: string): Unit<{ readonly bodyDigest: string } | null> {
  const requestId = yield* spentBy(holder, { kind: "CHALLENGE", value: obligationKey(challenge) })
  return requestId === null ? null : yield* findRequest(requestId)
}

/** `payer` null: of any payer. */
function* priorAuthorization(
  payer: string | null,
  prior: string | null,
  products: readonly string[],
): Unit<PriorAuthorization | null> {
  const record = prior === null ? null : yield* answerOfExecution(payer, prior)
  if (!record || !products.includes(record.product) || (yield* isRevoked(record.executionId))) return null
  return authorizationOf(record)
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
