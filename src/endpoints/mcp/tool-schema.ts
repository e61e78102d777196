/** Prints a TypeBox schema as JSON Schema 2020-12 that needs no other document. */
import type { TSchema } from "@sinclair/typebox"
import { compact, mapParts, type PlainSchema, plainSchema } from "../../discovery/plain-schema.ts"

/** A shorter schema is repeated rather than named. */
const NAMED_CHARACTERS_MIN = 60

/**
 * Returns a copy without TypeBox's own members and ids. A union of constants becomes an `enum`, a tuple `prefixItems`, and a schema that
 * occurs twice a member of `$defs`. It accepts exactly the same values. The names in `$defs` follow the order of first use.
 */
export function selfContained(schema: TSchema): object {
  const plain = plainSchema(schema)
  const uses = new Map<string, number>()
  countUses(plain, uses)
  const names = new Map<string, string>()
  const definitions: Record<string, PlainSchema> = {}
  const place = (one: PlainSchema): PlainSchema => {
    const text = JSON.stringify(one)
    if (text.length < NAMED_CHARACTERS_MIN || (uses.get(text) ?? 0) < 2) return compact(mapParts(one, place))
    let name = names.get(text)
    if (name === undefined) {
      name = `d${names.size + 1}`
      names.set(text, name)
      definitions[name] = compact(mapParts(one, place))
    }
    return { $ref: `#/$defs/${name}` }
  }
  const body = compact(mapParts(plain, place))
  return names.size === 0 ? body : { ...body, $defs: definitions }
}

/** Counts a schema inside a repeated one only once, because the repeated one is printed once. */
function countUses(schema: PlainSchema, uses: Map<string, number>): void {
  mapParts(schema, (one) => {
    const text = JSON.stringify(one)
    const before = uses.get(text) ?? 0
    uses.set(text, before + 1)
    if (before === 0) countUses(one, uses)
    return one
  })
}
