/** All database records that the pre-quote checks and the reserving transaction use, read in one transaction. */
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { DelegationUse } from "../../../checks/us/delegation.ts"
import { DAY, formatInstant } from "../../../core/time.ts"
import { findMandateKey, findOrganization, type MandateKey, type Organization } from "../../../store/buyers/buyers.ts"
import { delegationUse } from "../../../store/buyers/delegation-use.ts"
import { type Delegation, findDelegations } from "../../../store/buyers/delegations.ts"
import { isMandateRevoked } from "../../../store/buyers/mandates.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { findAgentKey } from "../../../store/identity/agent-identity.ts"
import { firstConflict, type Hold, type HoldConflict } from "../../../store/sales/holds.ts"
import {
  readAnchors,
  readSupplierSet,
  type SupplierNaming,
  type SupplierSet,
} from "../../../store/sales/supplier-sets.ts"
import type { StoredAgentKey } from "../signing-agent.ts"
import { namingOf } from "../supplier-naming.ts"
import { isNamedAnew, supplierHolds } from "./holds.ts"

/** The signer of the mandate: the organization's own key, or an agent key to which it delegated SIGN_MANDATE. */
export type MandateSigner =
  | { readonly kind: "ORGANIZATION"; readonly key: MandateKey }
  | { readonly kind: "DELEGATED"; readonly key: StoredAgentKey; readonly delegations: readonly Delegation[] }

export interface AuthorityRecords {
  readonly organization: Organization | null
  readonly delegations: readonly Delegation[]
  /** The use of each delegation by id. Only delegations with a total or daily limit are included. */
  readonly uses: ReadonlyMap<string, DelegationUse>
  readonly mandateSigner: MandateSigner | null
  readonly mandateRevoked: boolean
  /** Another request that holds or has used this mandate, its nonce or this obligation. */
  readonly conflict: HoldConflict | null
}

/** Returns the owner of an idempotency key: organization and agent, whichever of the agent's keys signs (rulings 25 and 29). */
export function scopeOf(request: Pick<DecisionRequest, "buyer" | "requesting_agent">): string {
  return `${request.buyer.organization_id}\n${request.requesting_agent.agent_id}`
}

type AuthorityRequest = Pick<DecisionRequest, "buyer" | "buyer_mandate" | "requesting_agent">

/** `ownRequestId` is the id of this request in the database, so that its own holds are no conflict. Null if it is not stored. */
export function* readAuthority(
  request: AuthorityRequest,
  holds: readonly Hold[],
  at: number,
  ownRequestId: string | null,
): Unit<AuthorityRecords> {
  const organizationId = request.buyer.organization_id
  const { agent_id: agentId, key_id: keyId } = request.requesting_agent
  const organization = yield* findOrganization(organizationId)
  const delegations = yield* findDelegations(organizationId, agentId, keyId)
  const mandateSigner = yield* readMandateSigner(request)
  const delegated = mandateSigner?.kind === "DELEGATED" ? mandateSigner.delegations : []
  const uses = new Map<string, DelegationUse>()
  const dayStart = formatInstant(Math.floor(at / DAY) * DAY)
  for (const { delegationId, maxTotalAmount, maxRequestsPerDay } of [...delegations, ...delegated]) {
    if (maxTotalAmount === null && maxRequestsPerDay === null) continue
    uses.set(delegationId, yield* delegationUse(delegationId, dayStart))
  }
  const { mandate_id: mandateId, valid_from: mandateFrom } = request.buyer_mandate.payload
  const mandateRevoked = yield* isMandateRevoked(organizationId, mandateId, mandateFrom)
  const conflict = yield* firstConflict(organizationId, holds, ownRequestId)
  return { organization, delegations, uses, mandateSigner, mandateRevoked, conflict }
}

function* readMandateSigner(request: AuthorityRequest): Unit<MandateSigner | null> {
  const organizationId = request.buyer.organization_id
  const { issuer, key_id: keyId } = request.buyer_mandate.signature
  if (issuer === organizationId) {
    const key = yield* findMandateKey(organizationId, keyId)
    return key ? { kind: "ORGANIZATION", key } : null
  }
  const key = yield* findAgentKey(issuer, keyId)
  if (!key) return null
  return { kind: "DELEGATED", key, delegations: yield* findDelegations(organizationId, issuer, keyId) }
}

/** What earlier decisions of this organization, and of no other, know of the supplier (rulings 45, 89). */
export interface SupplierRecords {
  readonly set: SupplierSet
  /** The request's identifiers that can vouch. Read only where they are needed: else empty. */
  readonly anchors: readonly string[]
  /** Another request that names this supplier in a new way now. */
  readonly conflict: HoldConflict | null
}

export function supplierNaming({ supplier }: Pick<DecisionRequest, "supplier">): SupplierNaming {
  return namingOf(supplier, supplier.entity_id)
}

/** For the checks before a quote. `ownRequestId` as in {@link readAuthority}. */
export function* readSupplierRecords(
  request: Pick<DecisionRequest, "buyer" | "supplier" | "payment_destination">,
  ownRequestId: string | null,
): Unit<SupplierRecords> {
  const organizationId = request.buyer.organization_id
  const set = yield* readSupplierSet(organizationId, supplierNaming(request))
  // Only the register's name for an anchor may be new to the supplier.
  const isRenamed = set.contradictions.some(({ member }) => member === "legal_name")
  const anchors = isRenamed ? yield* readAnchors(organizationId, set) : []
  const named = isNamedAnew(set) ? supplierHolds(request, set) : []
  const conflict = yield* firstConflict(organizationId, named, ownRequestId)
  return { set, anchors, conflict }
}
