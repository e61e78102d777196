import { readInvitation } from "../../schemas/agent-id/invitation.ts"
import type { Call } from "../http/call.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { type InvitationContent, invitationPage } from "./invitation-page.ts"
import { PRIVATE_PAGE_FIELDS } from "./page-headers.ts"
import type { Site } from "./site.ts"

interface InvitationPageDeps {
  readonly shell: Shell
  readonly site: Site
  /** Returns the path of the bootstrap of the requested invitation. Throws the same refusal for unknown and malformed references. */
  readonly bootstrapPathOf: (call: Call<null>) => Promise<string>
  readonly content: InvitationContent
}

export function invitationPages({ shell, site, bootstrapPathOf, content }: InvitationPageDeps) {
  const page = invitationPage(site, content)
  return serve(shell, readInvitation, async (call) => ({
    status: 200,
    body: page(await bootstrapPathOf(call)),
    headers: PRIVATE_PAGE_FIELDS,
  }))
}
