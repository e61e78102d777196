import { expectedWords, type JsonSchema, variantsOf } from "../http/expected-words.ts"

/** Returns in words what a schema expects at a pointer that the walk named as missing. Empty for a pointer that the schema does not have. */
export function wordsAt(schema: JsonSchema, path: string): string {
  let places: readonly JsonSchema[] = [schema]
  for (const name of path.split("/").slice(1)) {
    places = places.flatMap(variantsOf).flatMap((place) => {
      const member = ((place["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>)[name]
      return member ? [member] : []
    })
  }
  return places.map(expectedWords).join(" or ")
}
