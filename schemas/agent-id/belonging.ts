/** Agent ID as the rows of its routes name it. */
import type { OwnProduct } from "../operation.ts"

export const AGENT_ID: OwnProduct = {
  id: "svc.agent-id.v1",
  solution: "agent-id",
  jurisdiction: "GLOBAL",
  coverage: "GLOBAL_KEY_CONTROL_ONLY",
}

/** Needs that no route of Agent ID meets: the one claim is control of the keys. */
export const NOT_A_CLAIM: readonly string[] = ["LEGAL_IDENTITY", "PAYMENT_AUTHORITY", "REPUTATION"]
