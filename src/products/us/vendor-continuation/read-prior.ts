import type { AnswerDecision } from "../../../../schemas/business-answer.ts"
import type { UsFacts } from "../../../../schemas/us/operation-facts.ts"
import type { Company } from "../../../../schemas/us/operation-request.ts"
import type { ContinuedAuthorization } from "../../../../schemas/us/vendor-continuation.ts"
import { mayContinue } from "../../../checks/policy/answer.ts"
import { GATES } from "../../../checks/policy/gate.ts"
import type { NamedPrior } from "../../../checks/us/continuation.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { type AnswerRecord, answerOfExecution } from "../../../store/sales/answer-records.ts"
import { findDelivery } from "../../../store/sales/deliveries.ts"
import { isRevoked } from "../../../store/sales/revoked-changes.ts"
import { vouchesForCompany } from "../vouching-answer.ts"

/**
 * CHOICE: every US operation except the company check authorizes something about a vendor that can be continued, including a continuation.
 */
const AUTHORIZING: readonly string[] = [
  GATES.RESTRICTED_PARTY,
  GATES.INVOICE_PAYEE,
  GATES.PAYMENT_AUTHORITY,
  GATES.VENDOR_CHANGE,
  GATES.CONTINUATION,
]

/** Returns what a reference names, whoever bought it, without the facts of that time. Null if it names no authorization. */
export function* readNamedPrior(reference: string, company: Company): Unit<NamedPrior | null> {
  const record = yield* authorizationOf(null, reference)
  if (!record) return null
  const { subject, nameKey, executionId } = record
  const vouches = yield* vouchesForCompany(record, company)
  return { subject, name_key: nameKey, withdrawn: yield* isRevoked(executionId), vouches }
}

function* authorizationOf(payer: string | null, reference: string): Unit<AnswerRecord | null> {
  const record = yield* answerOfExecution(payer, reference)
  return record && AUTHORIZING.includes(record.product) && isGiven(record) ? record : null
}

/** Returns an authorization that was given to this payer, with the facts of that time. `company` is that of the request. Null for any other reference. */
export function* readPrior(payer: string, reference: string, company: Company): Unit<ContinuedAuthorization | null> {
  const record = yield* authorizationOf(payer, reference)
  if (!record) return null
  const delivery = yield* findDelivery(record.requestId)
  if (!delivery) throw new Error("a delivered answer has no delivery")
  const { sources, screening, registration } = JSON.parse(delivery.factsJson) as UsFacts
  return {
    execution_id: record.executionId,
    product: record.product,
    subject: record.subject,
    name_key: record.nameKey,
    decided_at: record.decidedAt,
    withdrawn: yield* isRevoked(record.executionId),
    lists: sources.map(({ source_id, source_version }) => ({ source_id, source_version })),
    screening: {
      state: screening.state,
      scorer_version: screening.scorer_version,
      entries: screening.hits.map(({ source_id, entry_id }) => ({ source_id, entry_id })),
    },
    registrations: (registration?.lookups ?? []).map((one) => ({
      source_id: one.source_id,
      scheme: one.scheme,
      value: one.value,
      found: one.found,
      name_agrees: one.name_agrees,
      registered_name: one.registered_name,
      status: one.status,
      is_current: one.is_current,
    })),
    vouches: yield* vouchesForCompany(record, company),
  }
}

function isGiven({ decision }: AnswerRecord): boolean {
  return mayContinue({ decision: decision as AnswerDecision })
}
