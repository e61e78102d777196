import type { AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { BindingError } from "./binding-error.ts"
import { expectation } from "./expectation.ts"
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
