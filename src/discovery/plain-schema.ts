/** TypeBox schemas as plain JSON Schema 2020-12: the plain form, its text, its parts, and a shorter form. */
import type { TSchema } from "@sinclair/typebox"

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [member: string]: Json
}
/** A JSON Schema without TypeBox symbols and without `$id`. */
export type PlainSchema = JsonObject

/** Keywords whose value is one schema. */
const ONE = ["items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"]
/** Keywords whose value is an array of schemas. */
const LISTS = ["prefixItems", "anyOf", "allOf", "oneOf"]
/** Keywords whose value is an object of schemas. */
const MAPS = ["properties", "patternProperties"]

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

/** True for a schema that allows null and one other. It gets no name: its other half has one. */
export function isNullable({ anyOf }: JsonObject): boolean {
  return (
    Array.isArray(anyOf) && anyOf.length === 2 && anyOf.some((one: Json) => isObject(one) && one["type"] === "null")
  )
}

const plainForms = new WeakMap<JsonObject, PlainSchema>()
const keys = new WeakMap<JsonObject, string>()

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

/** Returns the text of the plain form: two schemas have the same text if they accept the same values and describe them alike. */
export function schemaText(schema: TSchema): string {
  return keyOf(jsonOf(schema))
}

export function keyOf(schema: JsonObject): string {
  let key = keys.get(schema)
  if (key === undefined) {
    key = JSON.stringify(plain(schema))
    keys.set(schema, key)
  }
  return key
}

/** Returns the replacement of a part. `member` is absent for a part without a name of its own: an item or a variant. */
type PrintPart = (part: JsonObject, member?: string) => Json

/** Returns the 2020-12 form of one schema, with `print` of each of its parts. A schema that has the form already keeps it. */
export function mapParts(schema: JsonObject, print: PrintPart): PlainSchema {
  const { $id: _, additionalItems: __, ...rest } = schema
  const texts = textsOf(rest["anyOf"])
  if (texts) {
    const { anyOf: ___, ...others } = rest
    return Object.fromEntries(Object.entries({ type: "string", enum: texts, ...others }))
  }
  const { items, ...others } = rest
  const form = Array.isArray(items) ? { ...others, prefixItems: items, items: false } : rest
  return Object.fromEntries(Object.entries(form).map(([keyword, value]) => [keyword, mapValue(keyword, value, print)]))
}

function mapValue(keyword: string, value: Json, print: PrintPart): Json {
  if (ONE.includes(keyword)) return isObject(value) ? print(value) : value
  if (LISTS.includes(keyword) && Array.isArray(value)) {
    return value.map((part: Json) => (isObject(part) ? print(part) : part))
  }
  if (MAPS.includes(keyword) && isObject(value)) {
    const members = Object.entries(value)
    return Object.fromEntries(members.map(([name, part]) => [name, isObject(part) ? print(part, name) : part]))
  }
  return value
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

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
