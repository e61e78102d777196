import type { Operation } from "../../../schemas/operation.ts"
import { reviewDutyOf } from "../../core/discovery/review-duty.ts"
import { chargeOf } from "../../discovery/charge.ts"
import { documentUri } from "../../discovery/links.ts"
import type { A2aShell } from "./a2a-shell.ts"

/** Says where a paid operation is sold: over HTTP and, as a tool with the same name, over MCP. It creates no quote. */
export function whereToBuy({ served, baseUrl, network }: A2aShell, operation: Operation): object {
  const { id, method, path, product } = operation
  const parts = { baseUrl: baseUrl(), operations: served.rows() }
  const at = (end: string, verb: "GET" | "POST" = "GET") =>
    parts.operations.some((row) => row.path === path + end && row.method === verb)
      ? `${parts.baseUrl}${path}${end}`
      : null
  return {
    operation: id,
    product_id: product?.id ?? null,
    method,
    uri: `${parts.baseUrl}${path}`,
    charge: chargeOf(operation, network),
    review_duty: product ? reviewDutyOf(product.jurisdiction) : null,
    schema_uri: at("/schema"),
    example_uri: at("/example"),
    eligibility_uri: at("/eligibility", "POST"),
    agent_map_uri: documentUri(parts, "/.well-known/agent-map.json") ?? null,
    charged: false,
    quote_created: false,
    next_machine_action: "REQUEST_QUOTE_AT_URI",
  }
}
