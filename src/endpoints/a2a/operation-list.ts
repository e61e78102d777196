import type { Operation } from "../../../schemas/operation.ts"
import { chargeOf } from "../../discovery/charge.ts"
import { documentUri } from "../../discovery/links.ts"
import type { A2aShell } from "./a2a-shell.ts"

/** A message runs a free tool; a paid operation answers where to buy it. */
export function isOffered({ tool, product }: Pick<Operation, "tool" | "product">): boolean {
  return tool !== undefined || product !== undefined
}

/** What a message can order, and where the same is over HTTP: the answer to a message in words, which orders nothing. */
export function operationList({ served, baseUrl, network }: A2aShell): object {
  const operations = served.rows()
  const parts = { baseUrl: baseUrl(), operations }
  return {
    instruction: "Send one data part {operation, input}. A free operation is run; a paid one answers where to buy it.",
    operations: operations.filter(isOffered).map((row) => ({
      operation: row.id,
      summary: row.summary,
      method: row.method,
      uri_template: `${parts.baseUrl}${row.path}`,
      charge: row.product ? chargeOf(row, network) : null,
    })),
    openapi_uri: documentUri(parts, "/v1/openapi.json") ?? null,
    agent_map_uri: documentUri(parts, "/.well-known/agent-map.json") ?? null,
    charged: false,
    next_machine_action: "SEND_ONE_DATA_PART",
  }
}
