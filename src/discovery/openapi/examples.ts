/** `GET /v1/openapi-examples.json`: the bodies to which the OpenAPI document points. */
import { getOpenapiExamples } from "../../../schemas/discovery/openapi.ts"
import type { DiscoveryParts, DocumentRow } from "../parts.ts"

export const OPENAPI_EXAMPLES: DocumentRow = { operation: getOpenapiExamples, print: openapiExamples }

/** Returns the example bodies by operation id. */
export function openapiExamples({ operations }: Pick<DiscoveryParts, "operations">): object {
  return Object.fromEntries(operations.flatMap(({ id, exampleBody }) => (exampleBody ? [[id, exampleBody]] : [])))
}
