/**
 * The operations of an OpenAPI document with their request schemas: references replaced by what they name, shared members put into the
 * objects that have them, and a list of types written as variants.
 */
import type { OpenapiChecker } from "../../test/fixtures/openapi.ts"
import type { FuzzOperation, FuzzParameter, Schema } from "./fuzz-request.ts"

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly schema: Schema
}

export function fuzzOperations(checker: OpenapiChecker): readonly FuzzOperation[] {
  const resolve = resolver(checker)
  return Object.entries(checker.document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]): FuzzOperation => {
      const parameters = (operation.parameters ?? []).map((parameter) => checker.resolved(parameter) as Parameter)
      const placed = (place: string): FuzzParameter[] =>
        parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, schema }) => ({ name, schema: resolve(schema) }))
      const requestBody = operation.requestBody && checker.resolved(operation.requestBody)
      const printed = requestBody?.content["application/json"].schema ?? null
      return {
        method: method.toUpperCase(),
        template,
        operation: { ...operation, ...(requestBody && { requestBody }) },
        printedBody: printed,
        body: printed && resolve(printed),
        pathParameters: placed("path"),
        headerParameters: placed("header"),
      }
    }),
  )
}

function resolver(checker: OpenapiChecker): (schema: object) => Schema {
  const known = new Map<string, unknown>()
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== "object" || value === null) return value
    if ("$ref" in value && typeof value.$ref === "string") {
      const found = known.get(value.$ref) ?? walk(checker.resolved(value as { $ref: string }))
      known.set(value.$ref, found)
      return found
    }
    return plainForm(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)])))
  }
  return (schema) => walk(schema) as Schema
}

function plainForm(schema: Schema): Schema {
  const { type, allOf, unevaluatedProperties, ...rest } = schema
  if (Array.isArray(allOf)) {
    const parts = [...(allOf as readonly Schema[]), rest]
    const isClosed = unevaluatedProperties === false || parts.some((part) => part["additionalProperties"] === false)
    return {
      type: "object",
      properties: Object.assign({}, ...parts.map((part) => part["properties"] ?? {})) as object,
      required: parts.flatMap((part) => (part["required"] ?? []) as readonly string[]),
      ...(isClosed && { additionalProperties: false }),
    }
  }
  return Array.isArray(type) ? { anyOf: type.map((one: unknown) => ({ ...rest, type: one })) } : schema
}
