/** `GET /v1/openapi-examples.json`: the example bodies of the OpenAPI document. */
import { getOpenapiExamples } from "../../../schemas/discovery/openapi.ts"
import type { ConstantRow, DocumentParts } from "../parts.ts"

export const OPENAPI_EXAMPLES: ConstantRow = { operation: getOpenapiExamples, print: openapiExamples }

/** Returns the example bodies by operation id. */
function openapiExamples({ operations }: Pick<DocumentParts, "operations">): object {
  return Object.fromEntries(operations.flatMap(({ id, exampleBody }) => (exampleBody ? [[id, exampleBody]] : [])))
}
