/** Checks that this organization lets this agent key authorize a change of a vendor's payee (rulings 48). */
import type { VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { ServiceError } from "../../../base/errors.ts"
import { requestSigningBytes } from "../../../checks/policy/digests.ts"
import { type DelegationJudgement, type DelegationUse, judgeUnpricedAct } from "../../../checks/us/delegation.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import { DAY, formatInstant } from "../../../core/time.ts"
import { findOrganization, type Organization } from "../../../store/buyers/buyers.ts"
import { delegationUse } from "../../../store/buyers/delegation-use.ts"
import { type Delegation, findDelegations } from "../../../store/buyers/delegations.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import {
  judgeAgentKey,
  judgeOrganization,
  readAgentKey,
  type StoredAgentKey,
  signatureRefusal,
} from "../signing-agent.ts"

const SCOPE = "AUTHORIZE_DESTINATION_CHANGE"

type Signed = Pick<VendorChangeRequest, "buyer" | "requesting_agent">

export interface ChangeAuthority {
  readonly agentKey: StoredAgentKey | null
  readonly organization: Organization | null
  readonly delegations: readonly Delegation[]
  /** The use of each delegation with a daily limit, by id. */
  readonly uses: ReadonlyMap<string, DelegationUse>
}

export function* readChangeAuthority(request: Signed, at: number): Unit<ChangeAuthority> {
  const { organization_id: organizationId } = request.buyer
  const { agent_id: agentId, key_id: keyId } = request.requesting_agent
  const delegations = yield* findDelegations(organizationId, agentId, keyId)
  const uses = new Map<string, DelegationUse>()
  const dayStart = formatInstant(Math.floor(at / DAY) * DAY)
  for (const { delegationId, maxRequestsPerDay } of delegations) {
    if (maxRequestsPerDay !== null) uses.set(delegationId, yield* delegationUse(delegationId, dayStart))
  }
  return {
    agentKey: yield* readAgentKey(request),
    organization: yield* findOrganization(organizationId),
    delegations,
    uses,
  }
}

/** The cryptographic part. It never runs inside a transaction. */
export function judgeSignature(request: VendorChangeRequest, { agentKey }: ChangeAuthority): ServiceError | null {
  const signed =
    agentKey !== null &&
    verifySignature(agentKey.x, requestSigningBytes(request), request.requesting_agent.request_signature)
  return signed ? null : signatureRefusal("VENDOR_CHANGE")
}

/**
 * Any agent may sign in the name of any organization. An agent without a current delegation learns only that. It does not learn whether the
 * organization is known, verified or revoked.
 */
export function isStranger(authority: ChangeAuthority, at: number): boolean {
  return changeDelegation(authority, at).fault === "DELEGATION_NOT_ACTIVE"
}

/** The parts of the authority that can change. The reserving transaction checks them again. */
export function judgeAuthority({ buyer }: Signed, authority: ChangeAuthority, at: number): ServiceError | null {
  const organization = () => (isStranger(authority, at) ? null : judgeOrganization(buyer, authority.organization, at))
  return judgeAgentKey(authority, "VENDOR_CHANGE") ?? organization() ?? judgeChangeDelegation(authority, at)
}

export function judgeChangeDelegation(authority: ChangeAuthority, at: number): ServiceError | null {
  const { fault } = changeDelegation(authority, at)
  return fault ? new ServiceError(fault, `A delegation with ${SCOPE} must be current and below its daily limit.`) : null
}

export function changeDelegation({ delegations, uses }: ChangeAuthority, at: number): DelegationJudgement<Delegation> {
  return judgeUnpricedAct(delegations, { at, uses }, SCOPE)
}
