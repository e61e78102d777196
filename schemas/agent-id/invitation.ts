/** The two forms of an invitation: a page for a person, the bootstrap for an agent. */
import { Type } from "@sinclair/typebox"
import { operation } from "../operation.ts"
import { Problem } from "../problem.ts"
import { AgentIdInvitationBootstrap } from "./descriptor.ts"

const invitation = {
  method: "GET",
  body: undefined,
  parameters: { reference: Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" }) },
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: { amount: "0", asset: "N/A_NO_CHARGE" },
  rateLimit: { group: "discovery", perMinute: 600 },
} as const
const unknown = {
  description: "Unknown or malformed reference, told apart by nothing",
  schema: Problem,
  mediaType: "application/problem+json",
}

export const readInvitation = operation({
  ...invitation,
  id: "GetAgentIdInvitation",
  path: "/v1/agent-id/invitations/{reference}",
  summary: "The invitation as a page for a person, without script; opening it verifies no payload",
  responses: { 200: { description: "Page", mediaType: "text/html" }, 404: unknown },
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
