/** The two forms of an invitation: a page for a person and a bootstrap for an agent. */
import { Type } from "@sinclair/typebox"
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { HTML } from "../response.ts"
import { AgentIdInvitationBootstrap } from "./descriptor.ts"

const invitation = {
  method: "GET",
  body: undefined,
  parameters: { reference: Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" }) },
  ...FREE,
  rateLimit: { group: "discovery", perMinute: 600 },
} as const
const unknown = problem("Unknown or malformed reference; both get the same response")

export const readInvitation = operation({
  ...invitation,
  id: "GetAgentIdInvitation",
  path: "/v1/agent-id/invitations/{reference}",
  summary: "The invitation as a page for a person, without script; opening it verifies no payload",
  responses: { 200: { description: "Page", mediaType: HTML }, 404: unknown },
  cors: "NONE",
})

export const readInvitationBootstrap = operation({
  ...invitation,
  id: "GetAgentIdInvitationBootstrap",
  path: "/v1/agent-id/invitations/{reference}/bootstrap",
  summary: "The invitation for an agent: the bootstrap descriptor; opening it verifies no payload",
  responses: {
    200: { description: "Bootstrap descriptor with the invitation", schema: AgentIdInvitationBootstrap },
    404: unknown,
  },
  cors: "PUBLIC",
})
