/** The reserving unit's half of the decision: authority judged once more, holds taken, our own records read, on one view. */
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { checkSupplierIdentifiers } from "../../../checks/supplier-identifiers.ts"
import { formatInstant } from "../../../core/time.ts"
import type { Refused, Reserved, StoredRequest } from "../../../delivery/sale.ts"
import type { ServiceError } from "../../../errors.ts"
import {
  type AuthorizationRecord,
  allowedOfSupplier,
  latestAuthorization,
  recordOfResponse,
  recordsOfDocument,
  recordsOfInstruction,
  recordsOfObligation,
} from "../../../store/authorization-records.ts"
import { type CompromisedKey, findCompromisedKeys } from "../../../store/compromised-keys.ts"
import { takeHolds } from "../../../store/holds.ts"
import type { Unit } from "../../../store/unit.ts"
import { judgeAgentKey, readAgentKey } from "../signing-agent.ts"
import { judgeValidity } from "../source-checks.ts"
import {
  authorityEnd,
  judgeBuyer,
  judgeDelegation,
  judgeMandateState,
  mandateDelegation,
  requestDelegation,
} from "./authority.ts"
import { conflictRefusal, holdsOf } from "./holds.ts"
import { readAuthority, readSupplierRecords } from "./records.ts"
import { judgeCollision } from "./supplier-checks.ts"

interface AuthorityFact {
  readonly state: "ACTIVE" | "REVOKED"
  readonly valid_until: string
}

export interface ReservedRecords {
  readonly buyerTolerance: "LOW" | "MEDIUM" | "HIGH"
  readonly mandate: AuthorityFact
  readonly delegation: AuthorityFact
  /** Delivered ALLOWs about this supplier, newest first: where its money went. */
  readonly allowed: readonly AuthorizationRecord[]
  /** The newest decision that let a payment to this supplier go. */
  readonly prior: AuthorizationRecord | null
  /** Decisions that share the obligation, the document or the payment instruction; each once. */
  readonly earlier: readonly AuthorizationRecord[]
  /** Decisions of this organization that `evidence_references` names. */
  readonly referenced: readonly AuthorizationRecord[]
  readonly compromised: readonly CompromisedKey[]
}

/** Refuses without having written anything, or takes the holds and returns what the decision will know of our records. */
export function* reserveDecision(stored: StoredRequest, at: number): Unit<Reserved | Refused> {
  const request = JSON.parse(stored.requestJson) as DecisionRequest
  const organizationId = request.buyer.organization_id
  const holds = holdsOf(request)
  const authority = yield* readAuthority(request, holds, at, stored.id)
  const inquiry = { request, requestDigest: stored.requestDigest, at, authority }
  const refusal =
    judgeAgentKey({ agentKey: yield* readAgentKey(request) }) ??
    judgeBuyer(inquiry) ??
    judgeDelegation(inquiry) ??
    judgeMandateState(inquiry) ??
    judgeCollision({ supplier: yield* readSupplierRecords(request) }) ??
    judgeValidity(authorityEnd(inquiry), at)
  if (refusal) return asRefused(refusal)
  const conflict = yield* takeHolds(organizationId, stored.id, holds)
  if (conflict) return asRefused(conflictRefusal(conflict))

  const supplierKey = checkSupplierIdentifiers(request.supplier.identifiers).supplierKey ?? ""
  const earlier = [
    ...(yield* recordsOfObligation(organizationId, supplierKey, obligationKey(request.invoice.obligation_id))),
    ...(yield* recordsOfDocument(organizationId, request.invoice.document_digest)),
    ...(yield* recordsOfInstruction(organizationId, request.payment_instruction_digest)),
  ]
  const referenced: AuthorizationRecord[] = []
  for (const reference of new Set(request.evidence_references)) {
    const record = yield* recordOfResponse(organizationId, reference)
    if (record) referenced.push(record)
  }
  const delegation = requestDelegation(inquiry).delegation
  const records: ReservedRecords = {
    buyerTolerance: authority.organization?.tolerance ?? "LOW",
    mandate: { state: "ACTIVE", valid_until: formatInstant(authorityEnd(inquiry)) },
    delegation: { state: "ACTIVE", valid_until: delegation?.validUntil ?? formatInstant(at) },
    allowed: yield* allowedOfSupplier(organizationId, supplierKey),
    prior: yield* latestAuthorization(organizationId, supplierKey),
    earlier: [...new Map(earlier.map((record) => [record.decisionId, record])).values()],
    referenced,
    compromised: yield* findCompromisedKeys(organizationId),
  }
  const counted = {
    delegationId: delegation?.delegationId ?? null,
    mandateDelegationId: mandateDelegation(inquiry)?.delegation?.delegationId ?? null,
  }
  return { records, counted }
}

function asRefused({ code, detail, context }: ServiceError): Refused {
  return { refused: code, detail, context }
}
