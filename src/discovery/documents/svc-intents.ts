import { UNSERVED_INTENTS } from "../../../schemas/agent-mode/unserved-intents.ts"
import type { SvcIntent, SvcIntents } from "../../../schemas/discovery/svc-intents.ts"
import type { Intent, Operation, OwnProduct } from "../../../schemas/operation.ts"
import { chargeOf } from "../charge.ts"
import { intentsOf } from "../intents-of.ts"
import { whereOf } from "../links.ts"
import type { DocumentParts } from "../parts.ts"
import { requiredInputs } from "../required-inputs.ts"

/** Prints the needs that the served routes meet, in the order of the rows. CHOICE: it also names the needs that no route meets. */
export function svcIntents(parts: DocumentParts): SvcIntents {
  const { issuerName, operations } = parts
  const intents = operations.flatMap((row) => intentsOf(row).map((intent) => intentLine(parts, row, intent)))
  const served = new Set(intents.map(({ intent }) => intent))
  return {
    schema_version: "1.0.0",
    issuer: issuerName,
    intents,
    not_implemented: [...UNSERVED_INTENTS]
      .filter(([intent]) => !served.has(intent))
      .map(([intent, nearest]) => ({ intent, nearest_intents: nearest.filter((name) => served.has(name)) })),
    runtime_statement: "RUNTIME_DESCRIPTOR_NOT_INDEXING_PROOF",
  }
}

function intentLine(
  { baseUrl, network }: DocumentParts,
  row: Operation,
  { name, notFor, chosenBy, planning = [] }: Intent,
): SvcIntent {
  const product = row.product ?? row.partOf
  return {
    intent: name,
    product_id: product?.id ?? null,
    solution_id: product?.solution ?? null,
    operation_id: row.id,
    method: row.method,
    ...whereOf(baseUrl, row),
    jurisdiction: product?.jurisdiction ?? jurisdictionOf(row.path),
    coverage: product?.coverage ?? row.headers?.["x-coverage"] ?? null,
    charge: chargeOf(row, network),
    required_inputs: requiredInputs(row.body, chosenBy),
    not_for: [...notFor],
    needs: [...planning],
    lifecycle: row.lifecycle,
  }
}

/** The second segment of a path that serves one country is its code. */
function jurisdictionOf(path: string): OwnProduct["jurisdiction"] {
  if (path.startsWith("/v1/us/")) return "US"
  return path.startsWith("/v1/gb/") ? "GB" : "GLOBAL"
}
