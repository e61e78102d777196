/** The only transaction that writes a delegation. It repeats the checks that were made when the signatures were verified. */

import { findMandateKey, findOrganization, mandateKeyHolder, type Organization } from "../../../store/buyers/buyers.ts"
import {
  type EarlierDelegation,
  earlierDelegations,
  findDelegations,
  insertDelegation,
  type NewDelegation,
  scopesHeld,
} from "../../../store/buyers/delegations.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../../../store/free-writes/admit.ts"
import { findAgentKey } from "../../../store/identity/agent-identity.ts"
import { isVoid } from "../../../store/restores.ts"

/** Includes revoked and expired delegations, because the check of a key reads all of them. */
export const DELEGATIONS_OF_KEY_MAX = 200

export type DelegationOutcome =
  | NotAdmitted
  | { readonly kind: "RECORDED" | "REPEATED"; readonly answer: string }
  | {
      readonly kind:
        | "REFUSED"
        | "AGENT_KEY_NOT_ACTIVE"
        | "REPLAYED"
        | "REVOKED"
        | "KEY_ROLES_CONFLICT"
        | "LIMIT_REACHED"
    }

export function* recordDelegation(
  delegation: NewDelegation,
  writer: FreeWriter,
  isVerified: (organization: Organization | null) => boolean,
): Unit<DelegationOutcome> {
  const { organizationId, agentId, keyId } = delegation
  const organization = yield* findOrganization(organizationId)
  const mandateKey = yield* findMandateKey(organizationId, delegation.signedByKeyId)
  if (!isVerified(organization) || mandateKey?.state !== "ACTIVE") return { kind: "REFUSED" }

  const earlier = yield* earlierDelegations(organizationId, delegation.nonce, delegation.idempotencyKey)
  if (earlier.length > 0) return repeated(earlier, delegation.contentDigest)

  // It may have been recorded and revoked in the hours that a restore lost.
  if (yield* isVoid(delegation.validFrom)) return { kind: "REVOKED" }

  const agentKey = yield* findAgentKey(agentId, keyId)
  if (agentKey?.status !== "ACTIVE" || agentKey.identityStatus !== "ACTIVE" || agentKey.role !== "OPERATIONAL") {
    return { kind: "AGENT_KEY_NOT_ACTIVE" }
  }
  if ((yield* mandateKeyHolder(delegation.keyOwner)) !== null) return { kind: "KEY_ROLES_CONFLICT" }
  const scopes = new Set([...delegation.scope, ...(yield* scopesHeld(organizationId, delegation.keyOwner, delegation))])
  if (scopes.has("SIGN_REQUEST") && scopes.has("SIGN_MANDATE")) return { kind: "KEY_ROLES_CONFLICT" }
  const held = yield* findDelegations(organizationId, agentId, keyId)
  if (held.length >= DELEGATIONS_OF_KEY_MAX) return { kind: "LIMIT_REACHED" }

  const refused = yield* admit("DELEGATIONS", writer, { agent: organizationId })
  if (refused) return refused
  const inserted = yield* insertDelegation(delegation)
  return inserted ? { kind: "RECORDED", answer: delegation.answer } : { kind: "REPLAYED" }
}

/**
 * CHOICE: a delegation that ended, by itself or with the key that signed it, is not returned as if it were active. Its repetition is
 * rejected as a replay.
 */
function repeated(earlier: readonly EarlierDelegation[], contentDigest: string): DelegationOutcome {
  const [same] = earlier
  if (earlier.length !== 1 || same?.contentDigest !== contentDigest) return { kind: "REPLAYED" }
  const stands = same.state === "ACTIVE" && same.signerState === "ACTIVE"
  return stands ? { kind: "REPEATED", answer: same.answer } : { kind: "REVOKED" }
}
