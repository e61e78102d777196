import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../../schemas/operation.ts"
import { compiledAtFirstUse } from "../../core/compiled-at-first-use.ts"
import { requireSchema } from "../../http/read-body.ts"
import { parameterSchema } from "./tools.ts"

type Members = Readonly<Record<string, unknown>>

/** The arguments of a tool as HTTP would carry them. `body` is null for an operation without one. */
interface DividedArguments {
  readonly params: Readonly<Record<string, string>>
  readonly body: Members | null
}

/**
 * Returns a function that divides the arguments of a tool into path parameters and body. It throws SCHEMA_INVALID for a parameter that is
 * missing or not accepted. The body is not checked here.
 */
export function argumentDivider(operation: Operation): (given: Members) => DividedArguments {
  const schema = parameterSchema(operation)
  if (schema === null) return (body) => ({ params: {}, body })
  const check = compiledAtFirstUse(schema as TSchema)
  if (!operation.body) {
    return (given) => {
      requireSchema(check(), given)
      return { params: given as Record<string, string>, body: null }
    }
  }
  const names = Object.keys(schema.properties)
  return (given) => {
    const isParameter = ([name]: [string, unknown]) => names.includes(name)
    const params = Object.fromEntries(Object.entries(given).filter(isParameter))
    requireSchema(check(), params)
    const body = Object.fromEntries(Object.entries(given).filter((member) => !isParameter(member)))
    return { params: params as Record<string, string>, body }
  }
}
