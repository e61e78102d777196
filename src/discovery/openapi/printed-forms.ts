/**
 * CHOICE: the document describes requests exactly, and replies by their members and types. The service rejects an unknown member of a
 * request, and its next version may add a member to a reply, which a generated client of today has to accept. So a reply is not closed, and
 * the lengths, bounds and patterns of its values are left out. A schema that a request uses too stays as it is. A document that a request
 * passes on as it was received has the schema of the reply.
 */
import type { TSchema } from "@sinclair/typebox"
import { RECEIVED_AS } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { eachPart, formOf, type JsonObject, jsonOf, mapParts, type PlainSchema, schemaNumber } from "../plain-schema.ts"
import { shortened } from "./reading-matter.ts"

/** Keywords that only reject values. */
const LIMITS: ReadonlySet<string> = new Set([
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minimum",
  "maximum",
  "minProperties",
  "maxProperties",
  "propertyNames",
])
/** Keywords that close an object with the value `false`. */
const CLOSING = ["additionalProperties", "unevaluatedProperties"]

/** What TypeBox prints for a record with any text as name. */
const ANY_NAME = "^(.*)$"

type Form = (schema: TSchema) => TSchema

/**
 * Returns the printed forms of schemas. `requests`: the schemas of all requests of the document. `isPart`: whether requests and replies
 * share a schema; a text or a number without a name is too small.
 */
export function printedForms(
  requests: readonly TSchema[],
  isPart: (schema: TSchema) => boolean,
): { readonly request: Form; readonly reply: Form } {
  const requested = numbersIn(requests)
  const reply = once((schema) => {
    if (requested.has(schemaNumber(schema)) && isPart(schema)) return schema
    const whole = mapped(shortened(schema), reply)
    // The length of a list with a schema for each place is a part of its type.
    const isTuple = "prefixItems" in whole
    const kept = Object.entries(whole).filter(
      ([keyword, value]) => (isTuple || !LIMITS.has(keyword)) && !(CLOSING.includes(keyword) && value === false),
    )
    return withAnyName(Object.fromEntries(kept)) as unknown as TSchema
  })
  const request = once((schema) => {
    const received = (schema as { readonly [RECEIVED_AS]?: TSchema })[RECEIVED_AS]
    return received ? reply(received) : mapped(schema, request)
  })
  return { request, reply }
}

/** Returns the schema of a map whose names are any text in its shorter form. */
function withAnyName(schema: Record<string, unknown>): Record<string, unknown> {
  if (schema["patternProperties"] === undefined) return schema
  const { patternProperties, ...others } = schema
  const { [ANY_NAME]: value, ...more } = patternProperties as Record<string, unknown>
  return value !== undefined && Object.keys(more).length === 0 ? { ...others, additionalProperties: value } : schema
}

/** Returns the numbers of the schemas and of all their parts, without what was received. */
function numbersIn(schemas: readonly TSchema[]): ReadonlySet<number> {
  const numbers = new Set<number>()
  const collect = (schema: JsonObject): void => {
    const { number } = formOf(schema)
    if (numbers.has(number) || RECEIVED_AS in schema) return
    numbers.add(number)
    eachPart(schema, collect)
  }
  for (const schema of schemas) collect(jsonOf(schema))
  return numbers
}

function mapped(schema: TSchema, form: Form): TSchema {
  const { $id } = schema
  const parts = mapParts(schema, (part) => form(part as unknown as TSchema) as unknown as PlainSchema)
  return ($id === undefined ? parts : { ...parts, $id }) as unknown as TSchema
}

function once(form: Form): Form {
  const forms = new WeakMap<TSchema, TSchema>()
  return (schema) => {
    let made = forms.get(schema)
    if (made === undefined) {
      made = form(schema)
      forms.set(schema, made)
    }
    return made
  }
}
