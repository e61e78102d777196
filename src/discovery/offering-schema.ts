/** The requirement of the ACP offering as JSON Schema draft-07: the ACP client of a buyer checks requirements with Ajv's default dialect. */
import { AcpOfferingRequirement } from "../../schemas/acp/requirement.ts"
import { type JsonObject, jsonOf, mapParts, type PlainSchema } from "./plain-schema.ts"

const DRAFT_07 = "http://json-schema.org/draft-07/schema#"

/** Returns the schema that the operator enters in the provider listing. It accepts the draft and the final requirement. */
export function offeringSchema(): PlainSchema {
  return { $schema: DRAFT_07, title: "ACP requirement, envelope version 4", ...draft07(jsonOf(AcpOfferingRequirement)) }
}

/** Without `format`: Ajv without its formats plug-in refuses to compile it. Every date has a pattern too. */
function draft07(schema: JsonObject): PlainSchema {
  const { format: _, ...others } = mapParts(schema, draft07)
  return others
}
