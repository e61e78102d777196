/** In the client module in place of `@sinclair/typebox/value`: it checks by the JSON Schema alone. */
import type { JsonValue } from "../../../core/strict-json.ts"
import { findMismatch, type JsonSchema } from "../../../jobs/buyer-signing/match-schema.ts"

export const Value = {
  Check: (schema: JsonSchema, value: JsonValue) => findMismatch(schema, value) === null,
}
