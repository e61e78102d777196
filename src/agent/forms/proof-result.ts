import { type Static, Type } from "@sinclair/typebox"
import { EventReceipt } from "../../../schemas/agent-id/proof.ts"
import { AgentId } from "../../../schemas/common.ts"

/** What the service answers to a proof. Open: a later service may add members. */
export const ProofResult = Type.Object({
  result: Type.Union([Type.Literal("ENROLLED"), Type.Literal("ROTATED"), Type.Literal("REVOKED")]),
  agent_id: AgentId,
  profile: Type.Object({}),
  receipt: EventReceipt,
})
export type ProofResult = Static<typeof ProofResult>
