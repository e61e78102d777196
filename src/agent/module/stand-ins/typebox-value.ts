/** In the client module in place of `@sinclair/typebox/value`: it checks by the JSON Schema alone. */
import type { JsonValue } from "../../../core/strict-json.ts"
import type { JsonSchema } from "../../../jobs/buyer-signing/match-schema.ts"
import { firstFault } from "./typebox-compiler.ts"

export const Value = {
  Check: (schema: JsonSchema, value: JsonValue) => firstFault(schema, value) === undefined,
}
