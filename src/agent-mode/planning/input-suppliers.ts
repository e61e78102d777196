import type { MissingInput } from "../../../schemas/agent-mode/planning.ts"

/** Returns who can supply an input of a request. `pointer`: RFC 6901, into the body. */
export function supplierOf(pointer: string): MissingInput["supplied_by"] {
  if (pointer.startsWith("/buyer_mandate")) return "BUYER_ORGANIZATION"
  const name = pointer.slice(pointer.lastIndexOf("/") + 1)
  if (name === "request_signature") return "AGENT_KEY"
  return ["prior_authorization_reference", "supplier_approval_reference"].includes(name) ? "EARLIER_ANSWER" : "CALLER"
}
