/** Values that every answer of agent mode has. */
import type { Effects } from "../../schemas/agent-mode/notation.ts"

export const CONTRACT = { schema_version: "1.0.0", contract_version: "1.0.0" } as const

/** No route of agent mode asks a source, charges, decides, delivers or reserves. */
export const NO_EFFECTS: Effects = {
  external_source_calls: 0,
  charged: false,
  decision_created: false,
  delivery_created: false,
  reservation_created: false,
}
