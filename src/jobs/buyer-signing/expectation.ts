import type { JsonSchema, Mismatch } from "./match-schema.ts"

/** Says what must be at the place of a mismatch, as the rest of a sentence. */
export function expectation({ schema, unknown }: Mismatch): string {
  if (unknown === undefined) return `must be ${described(schema)}`
  return `must not be there; the members are ${Object.keys(schema["properties"] as object).join(", ")}`
}

function described({ anyOf, const: literal, type, description, $id: _, ...rules }: JsonSchema): string {
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).map(described).join(" or ")
  if (literal !== undefined) return JSON.stringify(literal)
  if (type === "null") return "null"
  // The rules of the value itself are texts and numbers. Those of its parts are objects, lists and truth values.
  const limits = Object.entries(rules).flatMap(([name, rule]) =>
    typeof rule === "string" || typeof rule === "number" ? `${name} ${rule}` : [],
  )
  const known = typeof description === "string" ? [description] : []
  const details = [...known, ...limits].join(", ")
  return `${NOUNS[String(type)] ?? `an ${String(type)}`}${details === "" ? "" : ` (${details})`}`
}

/** A schema without a type takes any value, so only a member that is missing does not match it. */
const NOUNS: Readonly<Record<string, string>> = {
  undefined: "there",
  string: "a text",
  number: "a number",
  boolean: "a boolean",
}
