/**
 * Matches closed schemas without a schema library, so that the published module has no dependency and needs no `eval`. It reads the part of
 * JSON Schema that the service's schemas use. An unknown keyword is a bug and throws, because an ignored rule would accept what the service
 * itself rejects.
 */
import { hasCodePoints } from "../../schemas/code-points.ts"
import { readDateTime } from "../../schemas/rfc3339.ts"
import type { JsonValue } from "../core/strict-json.ts"

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Returns the JSON pointer of the first value that does not match, or null. A fault inside a union is reported at the union. */
export function mismatch(schema: JsonSchema, value: JsonValue, pointer = ""): string | null {
  for (const keyword of Object.keys(schema)) if (!KNOWN.has(keyword)) throw new TypeError(`schema keyword ${keyword}`)
  const { anyOf, const: literal } = schema
  if (Array.isArray(anyOf)) {
    return (anyOf as JsonSchema[]).some((option) => mismatch(option, value, pointer) === null) ? null : pointer || "/"
  }
  if (literal !== undefined) return value === literal ? null : pointer || "/"
  const check = BY_TYPE[String(schema["type"])]
  if (!check) throw new TypeError(`schema type ${String(schema["type"])}`)
  return check(schema, value, pointer)
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
])

type Check = (schema: JsonSchema, value: JsonValue, pointer: string) => string | null

const BY_TYPE: Readonly<Record<string, Check>> = {
  null: (_schema, value, pointer) => (value === null ? null : pointer || "/"),
  boolean: (_schema, value, pointer) => (typeof value === "boolean" ? null : pointer || "/"),
  integer: (schema, value, pointer) =>
    Number.isSafeInteger(value) && within(schema, "minimum", "maximum", value as number) ? null : pointer || "/",
  string: (schema, value, pointer) =>
    typeof value === "string" && isLong(schema, value) && matches(schema, value) && isOfFormat(schema, value)
      ? null
      : pointer || "/",
  array: (schema, value, pointer) =>
    Array.isArray(value) && within(schema, "minItems", "maxItems", value.length)
      ? elements(schema, value, pointer)
      : pointer || "/",
  object: (schema, value, pointer) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? members(schema, value, pointer)
      : pointer || "/",
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

function elements({ items }: JsonSchema, value: readonly JsonValue[], pointer: string): string | null {
  for (const [index, element] of value.entries()) {
    // A tuple. minItems and maxItems have already fixed its length.
    const schema = Array.isArray(items) ? items[index] : items
    if (schema === undefined) return `${pointer}/${index}`
    const at = mismatch(schema as JsonSchema, element, `${pointer}/${index}`)
    if (at !== null) return at
  }
  return null
}

function members(schema: JsonSchema, value: { readonly [member: string]: JsonValue }, pointer: string): string | null {
  if (schema["additionalProperties"] !== false) throw new TypeError("every schema of this service is closed")
  const properties = schema["properties"] as Readonly<Record<string, JsonSchema>>
  for (const name of (schema["required"] ?? []) as string[]) {
    if (!Object.hasOwn(value, name)) return `${pointer}/${name}`
  }
  for (const [name, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    // Somebody else wrote the name, so it is not repeated.
    if (!property) return `${pointer}/(unknown member)`
    const at = mismatch(property, member, `${pointer}/${name}`)
    if (at !== null) return at
  }
  return null
}
