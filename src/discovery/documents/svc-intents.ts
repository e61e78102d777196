import type { SvcIntent, SvcIntents } from "../../../schemas/discovery/svc-intents.ts"
import type { Intent, Operation, OwnProduct } from "../../../schemas/operation.ts"
import { chargeOf } from "../charge.ts"
import { whereOf } from "../links.ts"
import type { DiscoveryParts } from "../parts.ts"
import { requiredInputs } from "../required-inputs.ts"

/** Prints the needs that the served routes meet, in the order of the rows. */
export function svcIntents({ baseUrl, issuerName, operations }: DiscoveryParts): SvcIntents {
  return {
    schema_version: "1.0.0",
    issuer: issuerName,
    intents: operations.flatMap((row) => intentsOf(row).map((intent) => intentLine(baseUrl, row, intent))),
    runtime_statement: "RUNTIME_DESCRIPTOR_NOT_INDEXING_PROOF",
  }
}

function intentsOf({ intent, furtherIntents = [] }: Operation): readonly Intent[] {
  return intent ? [intent, ...furtherIntents] : furtherIntents
}

function intentLine(baseUrl: string, row: Operation, { name, notFor, chosenBy }: Intent): SvcIntent {
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
    charge: chargeOf(row),
    required_inputs: requiredInputs(row.body, chosenBy),
    not_for: [...notFor],
    lifecycle: row.lifecycle,
  }
}

/** The second segment of a path that serves one country is its code. */
function jurisdictionOf(path: string): OwnProduct["jurisdiction"] {
  if (path.startsWith("/v1/us/")) return "US"
  return path.startsWith("/v1/gb/") ? "GB" : "GLOBAL"
}
