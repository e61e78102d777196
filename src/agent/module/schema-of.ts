import { SHARED } from "./shared-schemas.ts"

/** Returns the schema of a JSON text, with the shared schemas in the places that name them. */
export function schemaOf(json: string): unknown {
  return JSON.parse(json, (_, part) => (part !== null && SHARED[part.$ref]) || part)
}
