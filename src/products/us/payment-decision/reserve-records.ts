/** The decision's part of the reserving transaction: checks authority again, takes holds, and reads the service's own records. */
import type { KnownDestination, ResolvedReference } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { formatInstant } from "../../../core/time.ts"
import type { IfCovered } from "../../../delivery/covered-sale.ts"
import type { Refused, Reserved, StoredRequest } from "../../../delivery/sale.ts"
import type { ServiceError } from "../../../errors.ts"
import {
  type AuthorizationRecord,
  latestAuthorization,
  recordsOfDocument,
  recordsOfInstruction,
  recordsOfObligation,
} from "../../../store/sales/authorization-records.ts"
import { takeHolds } from "../../../store/sales/holds.ts"
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
import { readDestinations } from "./destinations.ts"
import { judgeEarlierAuthorization, readEarlierAuthorization } from "./earlier-authorization.ts"
import { changeHolds, conflictRefusal, holdsOf } from "./holds.ts"
import { readAuthority, readSupplierRecords } from "./records.ts"
import { resolveReferences } from "./resolve-references.ts"
import { judgeCollision } from "./supplier-checks.ts"

interface AuthorityFact {
  readonly state: "ACTIVE" | "REVOKED"
  readonly valid_until: string
}

export interface ReservedRecords {
  readonly buyerTolerance: "LOW" | "MEDIUM" | "HIGH"
  readonly mandate: AuthorityFact
  readonly delegation: AuthorityFact
  readonly knownDestinations: readonly KnownDestination[]
  /** The newest decision that allowed a payment to this supplier. */
  readonly prior: AuthorizationRecord | null
  /** Decisions that share the obligation, the document or the payment instruction, without duplicates. */
  readonly earlier: readonly AuthorizationRecord[]
  /** The entries of `evidence_references` that this organization may rely on. */
  readonly resolvedReferences: readonly ResolvedReference[]
}

/** Either rejects without a write, or takes the holds and returns the service's records for the decision. */
export function* reserveDecision(
  stored: StoredRequest,
  at: number,
  ifCovered: IfCovered,
  baseUrl: string,
): Unit<Reserved | Refused> {
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
  if (ifCovered !== "DECIDE") {
    // The signed request proves its agent, so the decision is named whichever wallet presents the payment.
    const earlier = yield* readEarlierAuthorization(request, at, stored.id)
    const covered = judgeEarlierAuthorization({ request, at, earlier, baseUrl })
    if (covered) return asRefused(covered)
  }
  const supplierKey = checkSupplierIdentifiers(request.supplier.identifiers).supplierKey ?? ""
  const context = { supplierKey, at }
  const knownDestinations = yield* readDestinations(request, context)
  const resolvedReferences = yield* resolveReferences(request, context, knownDestinations)
  const conflict = yield* takeHolds(organizationId, stored.id, [...holds, ...changeHolds(resolvedReferences)])
  if (conflict) return asRefused(conflictRefusal(conflict))

  const earlier = [
    ...(yield* recordsOfObligation(organizationId, supplierKey, obligationKey(request.invoice.obligation_id))),
    ...(yield* recordsOfDocument(organizationId, request.invoice.document_digest)),
    ...(yield* recordsOfInstruction(organizationId, request.payment_instruction_digest)),
  ]
  const delegation = requestDelegation(inquiry).delegation
  const records: ReservedRecords = {
    buyerTolerance: authority.organization?.tolerance ?? "LOW",
    mandate: { state: "ACTIVE", valid_until: formatInstant(authorityEnd(inquiry)) },
    delegation: { state: "ACTIVE", valid_until: delegation?.validUntil ?? formatInstant(at) },
    knownDestinations,
    prior: yield* latestAuthorization(organizationId, supplierKey),
    earlier: [...new Map(earlier.map((record) => [record.decisionId, record])).values()],
    resolvedReferences,
  }
  const counted = {
    delegationId: delegation?.delegationId ?? null,
    mandateDelegationId: mandateDelegation(inquiry)?.delegation?.delegationId ?? null,
  }
  return { records, delegationsUsed: counted }
}

function asRefused({ code, detail, context }: ServiceError): Refused {
  return { refused: code, detail, context }
}
