/** TypeBox schemas as plain JSON Schema 2020-12: the plain form, its text, its parts, and a shorter form. */
import type { TSchema } from "@sinclair/typebox"
import { isObject } from "../core/strict-json.ts"

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [member: string]: Json
}
/** A JSON Schema without TypeBox symbols and without `$id`. */
export type PlainSchema = JsonObject

/** Keywords whose value is one schema, an array of schemas, or an object of schemas. */
const PART_KEYWORDS: ReadonlyMap<string, "ONE" | "LIST" | "MAP"> = new Map([
  ...["items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"].map(
    (keyword) => [keyword, "ONE"] as const,
  ),
  ...["prefixItems", "anyOf", "allOf", "oneOf"].map((keyword) => [keyword, "LIST"] as const),
  ...["properties", "patternProperties"].map((keyword) => [keyword, "MAP"] as const),
])

/** Returns the schema as JSON Schema 2020-12 without references: tuples as `prefixItems`, unions of texts as `enum`, no `$id`, no symbol. */
export function plainSchema(schema: TSchema): PlainSchema {
  return plain(jsonOf(schema))
}

/**
 * Returns a schema that accepts the same values in fewer characters: null as a type or a listed value, and no type beside a constant or
 * listed values, which have one.
 */
export function compact(schema: PlainSchema): PlainSchema {
  const { type, ...others } = withoutAnyMap(withNull(schema))
  return type === undefined || "const" in others || "enum" in others ? others : { type, ...others }
}

/** A map of anything under any name accepts what an object accepts. */
function withoutAnyMap(schema: PlainSchema): PlainSchema {
  if (schema["patternProperties"] === undefined) return schema
  const { patternProperties, ...others } = schema
  return JSON.stringify(patternProperties) === '{"^(.*)$":{}}' ? others : schema
}

/** A schema that allows null beside values of one type, or beside listed values, as one list of types or values. */
function withNull(schema: PlainSchema): PlainSchema {
  if (!isNullable(schema)) return schema
  const { anyOf, ...outer } = schema
  const [one] = (anyOf as readonly JsonObject[]).filter(({ type }) => type !== "null")
  if (one === undefined || ("description" in outer && "description" in one)) return schema
  const { type, const: value, enum: values, ...rest } = one
  if (value !== undefined) return { ...rest, ...outer, enum: [value, null] }
  if (Array.isArray(values)) return { ...rest, ...outer, enum: [...values, null] }
  return typeof type === "string" ? { type: [type, "null"], ...rest, ...outer } : schema
}

/** True for a schema that allows null and one other. */
function isNullable({ anyOf }: JsonObject): boolean {
  return (
    Array.isArray(anyOf) && anyOf.length === 2 && anyOf.some((one: Json) => isObject(one) && one["type"] === "null")
  )
}

const plainForms = new WeakMap<JsonObject, PlainSchema>()
/** A TypeBox schema is a JSON object but for its symbols, which nothing here copies. Parts that are one object are read once. */
export function jsonOf(schema: TSchema): JsonObject {
  return schema as unknown as JsonObject
}

function plain(schema: JsonObject): PlainSchema {
  let form = plainForms.get(schema)
  if (form === undefined) {
    form = mapParts(schema, plain)
    plainForms.set(schema, form)
  }
  return form
}

/** Returns the replacement of a part. `member` is absent for a part without a name of its own: an item or a variant. */
type PrintPart = (part: JsonObject, member?: string) => Json

/** Returns the 2020-12 form of one schema, with `print` of each of its parts. A schema that has the form already keeps it. */
export function mapParts(schema: JsonObject, print: PrintPart): PlainSchema {
  const texts = textsOf(schema["anyOf"])
  const { items } = schema
  const isTuple = Array.isArray(items)
  const form: Record<string, Json> = texts ? { type: "string", enum: texts } : {}
  for (const keyword of Object.keys(schema)) {
    if (keyword === "$id" || keyword === "additionalItems") continue
    if ((texts && keyword === "anyOf") || (isTuple && keyword === "items")) continue
    form[keyword] = mapValue(keyword, schema[keyword] as Json, print)
  }
  if (!isTuple) return form
  return { ...form, prefixItems: mapValue("prefixItems", items as Json, print), items: false }
}

function mapValue(keyword: string, value: Json, print: PrintPart): Json {
  if (typeof value !== "object" || value === null) return value
  const kind = PART_KEYWORDS.get(keyword)
  if (kind === "LIST" && Array.isArray(value)) return value.map((part: Json) => (isObject(part) ? print(part) : part))
  if (kind === undefined || !isObject(value)) return value
  if (kind === "ONE") return print(value)
  if (kind === "LIST") return value
  const members: Record<string, Json> = {}
  for (const name of Object.keys(value)) {
    const part = value[name] as Json
    members[name] = isObject(part) ? print(part, name) : part
  }
  return members
}

/** Visits the parts of a schema in the order of {@link mapParts}. */
export function eachPart(schema: JsonObject, visit: (part: JsonObject, member?: string) => void): void {
  if (textsOf(schema["anyOf"])) return
  const { items } = schema
  for (const keyword of Object.keys(schema)) {
    if (keyword === "items" ? !Array.isArray(items) : PART_KEYWORDS.has(keyword)) {
      visitParts(keyword, schema[keyword] as Json, visit)
    }
  }
  if (Array.isArray(items)) visitParts("prefixItems", items, visit)
}

function visitParts(keyword: string, value: Json, visit: (part: JsonObject, member?: string) => void): void {
  if (Array.isArray(value)) {
    for (const part of value as readonly Json[]) if (isObject(part)) visit(part)
  } else if (isObject(value)) {
    if (PART_KEYWORDS.get(keyword) === "ONE") visit(value)
    else for (const [member, part] of Object.entries(value)) if (isObject(part)) visit(part, member)
  }
}

/** Returns the texts of a union of nothing but text constants, or null. */
function textsOf(variants: Json | undefined): readonly string[] | null {
  if (!Array.isArray(variants)) return null
  const texts: string[] = []
  for (const variant of variants as readonly Json[]) {
    if (!isObject(variant) || Object.keys(variant).length !== 2 || variant["type"] !== "string") return null
    if (typeof variant["const"] !== "string") return null
    texts.push(variant["const"])
  }
  return texts
}
