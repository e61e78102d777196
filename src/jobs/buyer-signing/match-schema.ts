/**
 * Matches a schema without a schema library, so that a published module stays a fifth of its size with one: its users read it, because it
 * runs next to a private key. It reads the part of JSON Schema that their schemas use. An unknown keyword is a bug and throws,
 * because an ignored rule would accept what the service itself rejects.
 */
import { hasCodePoints } from "../../../schemas/code-points.ts"
import { readDateTime } from "../../../schemas/rfc3339.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { JsonValue } from "../../core/strict-json.ts"

export type JsonSchema = { readonly [keyword: string]: unknown }

export interface Mismatch {
  /** JSON pointer of the first value that does not match. A fault inside a union is reported at the union. */
  readonly pointer: string
  /** What the value must match; of an unknown member, the object around it. */
  readonly schema: JsonSchema
  /** Present for a member that the closed schema does not have. */
  readonly unknown?: string
}

/** Returns the first mismatch, or null. */
export function findMismatch(schema: JsonSchema, value: JsonValue, pointer = ""): Mismatch | null {
  for (const keyword of Object.keys(schema)) if (!KNOWN.has(keyword)) throw new TypeError(`schema keyword ${keyword}`)
  const { anyOf, const: literal } = schema
  if (Array.isArray(anyOf)) {
    const matches = (anyOf as JsonSchema[]).some((option) => findMismatch(option, value, pointer) === null)
    return matches ? null : { pointer, schema }
  }
  if (literal !== undefined) return value === literal ? null : { pointer, schema }
  if (isUnknown(schema)) return null
  const check = BY_TYPE[String(schema["type"])]
  if (!check) throw new TypeError(`schema type ${String(schema["type"])}`)
  return check(schema, value, pointer)
}

/** A schema without a rule accepts every value. */
function isUnknown(schema: JsonSchema): boolean {
  return Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword))
}

const ANNOTATIONS = ["$id", "title", "description"]
const KNOWN = new Set([
  ...ANNOTATIONS,
  ...[
    "anyOf",
    "const",
    "type",
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
  ],
  ...["items", "additionalItems", "properties", "required", "additionalProperties"],
  ...["maxProperties", "propertyNames", "patternProperties", "uniqueItems"],
])

type Check = (schema: JsonSchema, value: JsonValue, pointer: string) => Mismatch | null

/** A check of the value alone. */
const leaf =
  (isValid: (schema: JsonSchema, value: JsonValue) => boolean): Check =>
  (schema, value, pointer) =>
    isValid(schema, value) ? null : { pointer, schema }

const BY_TYPE: Readonly<Record<string, Check>> = {
  null: leaf((_schema, value) => value === null),
  boolean: leaf((_schema, value) => typeof value === "boolean"),
  integer: leaf(
    (schema, value) => Number.isSafeInteger(value) && within(schema, "minimum", "maximum", value as number),
  ),
  number: leaf((schema, value) => typeof value === "number" && within(schema, "minimum", "maximum", value)),
  string: leaf(
    (schema, value) =>
      typeof value === "string" &&
      value.isWellFormed() &&
      isLong(schema, value) &&
      matches(schema, value) &&
      isOfFormat(schema, value),
  ),
  array: (schema, value, pointer) =>
    Array.isArray(value) && within(schema, "minItems", "maxItems", value.length)
      ? (elements(schema, value, pointer) ?? (areUnique(schema, value) ? null : { pointer, schema }))
      : { pointer, schema },
  object: (schema, value, pointer) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { pointer, schema }
    return typeof schema["additionalProperties"] === "object"
      ? texts(schema, value, pointer)
      : members(schema, value, pointer)
  },
}

function within(schema: JsonSchema, least: string, most: string, value: number): boolean {
  const [minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY] = [schema[least], schema[most]] as [
    number | undefined,
    number | undefined,
  ]
  return value >= minimum && value <= maximum
}

/** Counts code points, like JSON Schema. */
function isLong({ minLength = 0, maxLength = Number.MAX_SAFE_INTEGER }: JsonSchema, value: string): boolean {
  return hasCodePoints(value, Number(minLength), Number(maxLength))
}

function isOfFormat({ format }: JsonSchema, value: string): boolean {
  if (format === undefined) return true
  if (format !== "date-time") throw new TypeError(`schema format ${String(format)}`)
  return readDateTime(value) !== null
}

const patterns = new Map<string, RegExp>()

function matches({ pattern }: JsonSchema, value: string): boolean {
  if (pattern === undefined) return true
  const text = String(pattern)
  const known = patterns.get(text) ?? new RegExp(text)
  patterns.set(text, known)
  return known.test(value)
}

/** Objects that differ only in the order of their members are equal. */
function areUnique({ uniqueItems }: JsonSchema, value: readonly JsonValue[]): boolean {
  return uniqueItems !== true || new Set(value.map((element) => canonicalize(element))).size === value.length
}

function elements({ items }: JsonSchema, value: readonly JsonValue[], pointer: string): Mismatch | null {
  for (const [index, element] of value.entries()) {
    // A tuple. minItems and maxItems have already fixed its length.
    const schema = Array.isArray(items) ? items[index] : items
    if (schema === undefined) return { pointer: `${pointer}/${index}`, schema: {} }
    const found = findMismatch(schema as JsonSchema, element, `${pointer}/${index}`)
    if (found !== null) return found
  }
  return null
}

type Members = { readonly [member: string]: JsonValue }

function members(schema: JsonSchema, value: Members, pointer: string): Mismatch | null {
  const { properties = {}, required = [] } = schema as { readonly properties?: Schemas; readonly required?: string[] }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) return { pointer: `${pointer}/${name}`, schema: properties[name] ?? {} }
  }
  for (const [name, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : restOf(schema)
    if (!property) return { pointer, schema, unknown: name }
    const found = findMismatch(property, member, `${pointer}/${name}`)
    if (found !== null) return found
  }
  return null
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** What a member without a schema of its own must match; null in a closed object. */
function restOf({ additionalProperties, patternProperties = {} }: JsonSchema): JsonSchema | null {
  const patterns = Object.entries(patternProperties as Schemas)
  if (patterns.some(([pattern]) => pattern !== EVERY_NAME)) throw new TypeError("a pattern of names")
  return patterns[0]?.[1] ?? (additionalProperties === false ? null : {})
}

/** How TypeBox writes that a record may have any name. */
const EVERY_NAME = "^(.*)$"

/** An object whose names the sender chose. A fault is reported at the object, because a name in it is the sender's. */
function texts(schema: JsonSchema, value: Members, pointer: string): Mismatch | null {
  const { propertyNames, additionalProperties, maxProperties } = schema as Record<string, JsonSchema>
  const entries = Object.entries(value)
  const isValid =
    entries.length <= Number(maxProperties ?? Number.MAX_SAFE_INTEGER) &&
    entries.every(
      ([name, text]) =>
        // The strict reader rejects this name in every body.
        name !== "__proto__" &&
        (propertyNames === undefined || findMismatch(propertyNames, name) === null) &&
        findMismatch(additionalProperties ?? {}, text) === null,
    )
  return isValid ? null : { pointer, schema }
}
