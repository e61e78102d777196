/** The decision's part of the reserving transaction: checks authority again, takes holds, and reads the service's own records. */
import type { KnownDestination, ResolvedReference } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { ServiceError } from "../../../base/errors.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { formatInstant } from "../../../core/time.ts"
import type { IfCovered } from "../../../delivery/covered-sale.ts"
import type { Refused, Reserved, StoredRequest } from "../../../delivery/sale.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import {
  type AuthorizationRecord,
  latestAuthorization,
  recordsOfDocument,
  recordsOfInstruction,
  recordsOfObligation,
} from "../../../store/sales/authorization-records.ts"
import { takeHolds } from "../../../store/sales/holds.ts"
import {
  type Contradiction,
  linkedIds,
  readAnchors,
  readSupplierSet,
  type SupplierSet,
} from "../../../store/sales/supplier-sets.ts"
import { judgeAgentKey, readAgentKey } from "../signing-agent.ts"
import {
  authorityEnd,
  judgeAuthorityEnd,
  judgeBuyer,
  judgeDelegation,
  judgeMandateState,
  mandateDelegation,
  requestDelegation,
} from "./authority.ts"
import { readDestinations } from "./destinations.ts"
import { judgeEarlierAuthorization, readEarlierAuthorization } from "./earlier-authorization.ts"
import { changeHolds, conflictRefusal, holdsOf, isNamedAnew, supplierHolds } from "./holds.ts"
import { recordedNames } from "./recorded-names.ts"
import { readAuthority, supplierNaming } from "./records.ts"
import { resolveReferences } from "./resolve-references.ts"
import { collisionRefusal } from "./supplier-checks.ts"

interface AuthorityFact {
  readonly state: "ACTIVE" | "REVOKED"
  readonly valid_until: string
}

/** The supplier as this organization knows it. */
export interface ReservedSupplier {
  readonly set: SupplierSet
  /** The request's identifiers that can vouch. */
  readonly anchors: readonly string[]
  /** Legal names of the supplier that the request does not give. */
  readonly otherNames: readonly string[]
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
  readonly supplier: ReservedSupplier
  /** The entries of `evidence_references` that this organization may rely on. */
  readonly resolvedReferences: readonly ResolvedReference[]
}

interface ReservingAt {
  /** In milliseconds. */
  readonly at: number
  readonly ifCovered: IfCovered
  readonly baseUrl: string
}

/** Either rejects without a write, or takes the holds and returns the service's records for the decision. */
export function* reserveDecision(
  request: DecisionRequest,
  stored: Pick<StoredRequest, "id" | "requestDigest">,
  { at, ifCovered, baseUrl }: ReservingAt,
): Unit<(Reserved & { readonly records: ReservedRecords }) | Refused> {
  const organizationId = request.buyer.organization_id
  const set = yield* readSupplierSet(organizationId, supplierNaming(request))
  // A request that names two suppliers is refused, unless money may have moved.
  const isRefusable = ifCovered !== "DECIDE"
  const holds = holdsOf(request, set)
  const authority = yield* readAuthority(request, holds, at, stored.id)
  const inquiry = { request, requestDigest: stored.requestDigest, at, authority }
  const refusal =
    judgeAgentKey({ agentKey: yield* readAgentKey(request) }, "DECISION_REQUEST") ??
    judgeBuyer(inquiry) ??
    judgeDelegation(inquiry) ??
    judgeMandateState(inquiry) ??
    (isRefusable ? collisionRefusal(request, set.contradictions.filter(isCertain)) : null) ??
    judgeAuthorityEnd(inquiry)
  if (refusal) return asRefused(refusal)
  if (isRefusable) {
    // The signed request proves its agent, so the decision is named whichever wallet presents the payment.
    const earlier = yield* readEarlierAuthorization(request, set, at, stored.id)
    const covered = judgeEarlierAuthorization({ request, at, earlier, baseUrl })
    if (covered) return asRefused(covered)
  }
  const anchors = yield* readAnchors(organizationId, set)
  const context = { set, anchors, at }
  const knownDestinations = yield* readDestinations(request, context)
  const resolvedReferences = yield* resolveReferences(request, context, knownDestinations)
  const isAsBefore = !isNamedAnew(set) && knownDestinations.some(isPaidBefore)
  const conflict = yield* takeHolds(organizationId, stored.id, [
    ...holds,
    ...changeHolds(resolvedReferences),
    ...(isAsBefore ? [] : supplierHolds(request, set)),
  ])
  if (conflict) return asRefused(conflictRefusal(conflict))

  const suppliers = linkedIds(set)
  const earlier = [
    ...(yield* recordsOfObligation(organizationId, suppliers, obligationKey(request.invoice.obligation_id))),
    ...(yield* recordsOfDocument(organizationId, request.invoice.document_digest)),
    ...(yield* recordsOfInstruction(organizationId, request.payment_instruction_digest)),
  ]
  const delegation = requestDelegation(inquiry).delegation
  const records: ReservedRecords = {
    buyerTolerance: authority.organization?.tolerance ?? "LOW",
    mandate: { state: "ACTIVE", valid_until: formatInstant(authorityEnd(inquiry)) },
    delegation: { state: "ACTIVE", valid_until: delegation?.validUntil ?? formatInstant(at) },
    knownDestinations,
    prior: yield* latestAuthorization(organizationId, suppliers),
    earlier: [...new Map(earlier.map((record) => [record.decisionId, record])).values()],
    resolvedReferences,
    supplier: { set, anchors, otherNames: yield* recordedNames(organizationId, set) },
  }
  const counted = {
    delegationId: delegation?.delegationId ?? null,
    mandateDelegationId: mandateDelegation(inquiry)?.delegation?.delegationId ?? null,
  }
  return { records, delegationsUsed: counted }
}

/** A name may be the register's current one. The decision looks it up when it gathers its facts. */
function isCertain({ member }: Contradiction): boolean {
  return member !== "legal_name"
}

/** A record that vouches for the destination. A verification paid nothing. */
function isPaidBefore({ vouches, basis }: KnownDestination): boolean {
  return vouches === true && basis !== "PAYEE_VERIFICATION"
}

function asRefused({ code, detail, context }: ServiceError): Refused {
  return { refused: code, detail, context }
}
