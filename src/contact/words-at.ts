import { DRAFT_OF } from "../../schemas/hints.ts"
import { expectedWords, type JsonSchema, variantsOf } from "../http/expected-words.ts"

/** Returns in words what a schema expects at a pointer that the walk named as missing. Empty for a pointer that the schema does not have. */
export function wordsAt(schema: JsonSchema, path: string): string {
  let places: readonly JsonSchema[] = [schema]
  for (const name of path.split("/").slice(1)) places = schemasBelow(places, name)
  return places.map(expectedWords).join(" or ")
}

/** The part of a pointer whose names the schema has; the caller chose the others. A draft has the names of the request that it drafts. */
export function knownPart(schema: JsonSchema, pointer: string): string {
  let places: readonly JsonSchema[] = [schema]
  let part = ""
  for (const name of pointer.split("/").slice(1)) {
    places = schemasBelow(places, name)
    if (places.length === 0) break
    part += `/${name}`
  }
  return part
}

/** The schemas of a member, or of an item of a list, in each variant that has it. */
function schemasBelow(places: readonly JsonSchema[], name: string): readonly JsonSchema[] {
  return places.flatMap(variantsOf).flatMap((place) => {
    const { properties = {}, items, [DRAFT_OF]: drafted } = place as Nested
    if (drafted) return schemasBelow([drafted], name)
    if (items && /^\d{1,4}$/.test(name)) return items
    return Object.hasOwn(properties, name) ? (properties[name] ?? []) : []
  })
}

interface Nested {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly [DRAFT_OF]?: JsonSchema
}
