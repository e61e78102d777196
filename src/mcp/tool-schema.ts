/** Prints a TypeBox schema as JSON Schema 2020-12 that needs no other document. */
import type { TSchema } from "@sinclair/typebox"

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Schema = { [name: string]: Json }

/** A shorter schema is repeated rather than named. */
const NAMED_CHARACTERS_MIN = 60

/**
 * Returns a copy without TypeBox's own members and ids. A union of constants becomes an `enum`, a tuple `prefixItems`, and a schema that
 * occurs twice a member of `$defs`. It accepts exactly the same values. The names in `$defs` follow the order of first use.
 */
export function selfContained(schema: TSchema): object {
  const plain = plainSchema(JSON.parse(JSON.stringify(schema)) as Schema)
  const uses = new Map<string, number>()
  countUses(plain, uses)
  const names = new Map<string, string>()
  const definitions: Schema = {}
  const place = (one: Schema): Schema => {
    const text = JSON.stringify(one)
    if (text.length < NAMED_CHARACTERS_MIN || (uses.get(text) ?? 0) < 2) return mapSchemas(one, place)
    let name = names.get(text)
    if (name === undefined) {
      name = `d${names.size + 1}`
      names.set(text, name)
      definitions[name] = mapSchemas(one, place)
    }
    return { $ref: `#/$defs/${name}` }
  }
  const body = mapSchemas(plain, place)
  return names.size === 0 ? body : { ...body, $defs: definitions }
}

function plainSchema(given: Schema): Schema {
  const { $id: _, ...schema } = given
  return mapSchemas(asPrefixItems(asEnum(schema)), plainSchema)
}

/** TypeBox prints a union of literals as `anyOf` of constants. */
function asEnum(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length === 0) return schema
  const values = anyOf.map((one) => (isSchema(one) && typeof one["const"] === "string" ? one["const"] : null))
  return values.every((value) => value !== null) ? { ...rest, type: "string", enum: values } : schema
}

/** TypeBox prints a tuple in the form of JSON Schema draft 7. */
function asPrefixItems(schema: Schema): Schema {
  const { items, additionalItems: _, ...rest } = schema
  return Array.isArray(items) ? { ...rest, prefixItems: items, items: false } : schema
}

/** Counts a schema inside a repeated one only once, because the repeated one is printed once. */
function countUses(schema: Schema, uses: Map<string, number>): void {
  mapSchemas(schema, (one) => {
    const text = JSON.stringify(one)
    const before = uses.get(text) ?? 0
    uses.set(text, before + 1)
    if (before === 0) countUses(one, uses)
    return one
  })
}

const ONE = ["items", "additionalProperties", "not", "contains", "propertyNames"]
const LISTS = ["anyOf", "allOf", "oneOf", "prefixItems"]
const MAPS = ["properties", "patternProperties"]

/** Returns a copy with each direct sub-schema replaced. Examples and constants are values, not schemas. */
function mapSchemas(schema: Schema, replace: (one: Schema) => Schema): Schema {
  const each = (one: Json) => (isSchema(one) ? replace(one) : one)
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]): [string, Json] => {
      if (ONE.includes(name)) return [name, each(value)]
      if (LISTS.includes(name) && Array.isArray(value)) return [name, value.map(each)]
      if (MAPS.includes(name) && isSchema(value)) {
        return [name, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, each(one)]))]
      }
      return [name, value]
    }),
  )
}

function isSchema(value: Json | undefined): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
