import type { AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { BindingError } from "./binding-error.ts"
import { findMismatch, type JsonSchema, type Mismatch } from "./match-schema.ts"
import { requirementSchema } from "./requirement-schema.ts" with { type: "macro" }

const SCHEMA: JsonSchema = requirementSchema()

/**
 * Returns a copy of the draft, made through its JSON text: what JSON does not carry is not signed. Throws {@link BindingError} if it is not a
 * draft of envelope version 4.
 */
export function readDraft(draft: unknown): AcpRequirementDraft {
  const copy = jsonCopy(draft)
  const found = findMismatch(SCHEMA, copy)
  if (found !== null) throw new BindingError("DRAFT_INVALID", fieldOf(found), expectation(found))
  return copy as unknown as AcpRequirementDraft
}

function jsonCopy(draft: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(draft)) as JsonValue
  } catch {
    throw new BindingError("DRAFT_INVALID", "draft", "must be a JSON object: no BigInt, no cycle")
  }
}

function fieldOf({ pointer, unknown }: Mismatch): string {
  return `draft${pointer}${unknown === undefined ? "" : `/${unknown}`}`
}

/** Says what must be at the place of a mismatch, as the rest of a sentence. */
function expectation({ schema, unknown }: Mismatch): string {
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
  return `${type === "string" ? "a text" : `an ${String(type)}`}${details === "" ? "" : ` (${details})`}`
}
