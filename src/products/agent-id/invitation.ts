import { readClaim } from "../../../schemas/agent-id/claim.ts"
import { type AgentIdInvitationBootstrap, readMark } from "../../../schemas/agent-id/descriptor.ts"
import { readInvitationBootstrap } from "../../../schemas/agent-id/invitation.ts"
import { readPostmanCollection } from "../../../schemas/agent-id/postman.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { ServiceError } from "../../errors.ts"
import type { Call } from "../../http/call.ts"
import { type Shell, serve } from "../../http/serve.ts"
import { findInvitation, type Invitation } from "../../store/identity/invitations.ts"
import type { Store } from "../../store/unit.ts"
import { agentIdBootstrap, type DescriptorParts } from "./descriptor.ts"
import { LIMITATION_MEANINGS } from "./limitations.ts"

/**
 * The invitation a path names. A malformed reference is looked up like an unknown one, and both get one refusal: neither its
 * words nor its time tell them apart.
 */
export async function requireInvitation(store: Store, call: Call<null>): Promise<Invitation> {
  const reference = call.params["reference"] ?? ""
  const invitation = await store.read(() => findInvitation(reference))
  if (!invitation) throw new ServiceError("NOT_FOUND", "No invitation has this reference.")
  return invitation
}

/** The address is the secret of an invitation: no cache and no index keeps what it answers. */
const HEADERS = { "cache-control": "no-store", "x-robots-tag": "noindex", "referrer-policy": "no-referrer" }

export interface InvitationDeps extends DescriptorParts {
  readonly shell: Shell
  readonly store: Store
}

/** Says that nothing was verified by opening it: a link that was passed on proves neither a payload nor a discovery. */
export function invitationBootstrap({ shell, store, baseUrl, issuerName }: InvitationDeps) {
  const bootstrap = agentIdBootstrap({ baseUrl, issuerName })
  return serve(shell, readInvitationBootstrap, async (call) => {
    const { reference } = await requireInvitation(store, call)
    const body: AgentIdInvitationBootstrap = {
      ...bootstrap,
      invitation: { reference, payload_verified: false, independent_discovery_claimed: false },
    }
    return { status: 200, body, headers: HEADERS }
  })
}

/** What the page shows: the same bootstrap, and a sentence for each limitation. */
export function invitationContent(parts: DescriptorParts) {
  return {
    bootstrap: agentIdBootstrap(parts),
    limitations: AGENT_ID_LIMITATIONS.map((limitation) => ({ limitation, meaning: LIMITATION_MEANINGS[limitation] })),
    markPath: readMark.path,
    claimPath: readClaim.path,
    collectionPath: readPostmanCollection.path,
  }
}

export function bootstrapPath({ reference }: Invitation): string {
  return readInvitationBootstrap.path.replace("{reference}", reference)
}
