import { readClaim } from "../../../schemas/agent-id/claim.ts"
import type { AgentIdInvitationBootstrap } from "../../../schemas/agent-id/descriptor.ts"
import { readInvitationBootstrap } from "../../../schemas/agent-id/invitation.ts"
import { readPostmanCollection } from "../../../schemas/agent-id/postman.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Call } from "../../http/call.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import type { Store } from "../../store/engine/unit.ts"
import { findInvitation, type Invitation } from "../../store/identity/invitations.ts"
import { agentIdBootstrap, type DescriptorParts } from "./descriptor.ts"
import { LIMITATION_MEANINGS } from "./limitations.ts"

const REFERENCE = /^[A-Za-z0-9_-]{32}$/

/** Returns the invitation that a path names. Throws NOT_FOUND, which is the same for unknown and malformed references. */
export async function requireInvitation(store: Store, call: Call<null>): Promise<Invitation> {
  const reference = call.params["reference"] ?? ""
  const invitation = REFERENCE.test(reference) ? await store.read(() => findInvitation(reference)) : null
  if (!invitation) throw new ServiceError("NOT_FOUND", "No invitation has this reference.")
  return invitation
}

/** The URL is the secret of an invitation, so no cache and no index may store the reply. */
const HEADERS = { "cache-control": "no-store", "x-robots-tag": "noindex", "referrer-policy": "no-referrer" }

interface InvitationDeps extends DescriptorParts {
  readonly shell: Shell
  readonly store: Store
}

/** The bootstrap states that opening it verified nothing: a forwarded link proves neither a payload nor a discovery. */
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

/** The content of the page: the same bootstrap, and a sentence for each limitation. */
export function invitationContent(parts: DescriptorParts) {
  return {
    bootstrap: agentIdBootstrap(parts),
    limitations: AGENT_ID_LIMITATIONS.map((limitation) => ({ limitation, meaning: LIMITATION_MEANINGS[limitation] })),
    claimPath: readClaim.path,
    collectionPath: readPostmanCollection.path,
  }
}

export function bootstrapPath({ reference }: Invitation): string {
  return readInvitationBootstrap.path.replace("{reference}", reference)
}
