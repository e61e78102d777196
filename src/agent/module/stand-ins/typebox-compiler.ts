/** In the client module in place of `@sinclair/typebox/compiler`: it checks by the JSON Schema alone. */
import type { JsonValue } from "../../../core/strict-json.ts"
import { expectation } from "../../../jobs/buyer-signing/expectation.ts"
import { findMismatch, type JsonSchema } from "../../../jobs/buyer-signing/match-schema.ts"

interface Fault {
  /** JSON pointer. */
  readonly path: string
  readonly message: string
}

export const TypeCompiler = {
  Compile: (schema: JsonSchema) => ({
    Check: (value: JsonValue) => findMismatch(schema, value) === null,
    Errors: (value: JsonValue) => ({ First: () => firstFault(schema, value) }),
  }),
}

function firstFault(schema: JsonSchema, value: JsonValue): Fault | undefined {
  const found = findMismatch(schema, value)
  return found === null ? undefined : { path: found.pointer, message: expectation(found) }
}
