import { catalogue } from "../../base/refusals.ts"
import type { PlainSchema } from "../plain-schema.ts"
import { textList } from "./schema-form.ts"

/** The error catalogue as a schema. The document of each code has its title, status and next machine action. */
export function errorCodes(baseUrl: string): PlainSchema {
  return {
    ...textList(Object.keys(catalogue).toSorted(), "ErrorCode"),
    description: `Stable. ${baseUrl}/problems/{code} has the title, status and next machine action of each`,
  }
}

/** Returns the schema of a problem with the catalogue as its `code`. */
export function withErrorCodes(problem: PlainSchema): PlainSchema {
  const properties = problem["properties"] as Readonly<Record<string, PlainSchema>>
  return { ...problem, properties: { ...properties, code: { $ref: "#/components/schemas/ErrorCode" } } }
}
