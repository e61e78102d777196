/**
 * The documents of an ACP job as JSON Schema draft-07: the ACP client of a buyer checks requirements with Ajv's default dialect. They are
 * printed by a command and are in no other document of the service.
 */
import type { TSchema } from "@sinclair/typebox"
import { AcpDeliverable } from "../../schemas/acp/deliverable.ts"
import { AcpOfferingRequirement } from "../../schemas/acp/requirement.ts"
import { ACP_OFFERING_NAME } from "../../schemas/acp/terms.ts"
import { PAYMENT_DECISION_PRICE } from "../../schemas/us/payment-decision.ts"
import { type JsonObject, jsonOf, mapParts, type PlainSchema } from "./plain-schema.ts"

const DRAFT_07 = "http://json-schema.org/draft-07/schema#"
/** Interface, "Agent-commerce (ACP) purchase channel": the delivery SLA. */
const SLA_MINUTES = 15

/** Returns the schema of a requirement, as draft and as final requirement. */
export function requirementSchema(): PlainSchema {
  return titled("ACP requirement, envelope version 4", AcpOfferingRequirement)
}

export function deliverableSchema(): PlainSchema {
  return titled("ACP deliverable, version 3", AcpDeliverable)
}

/** Returns what the operator enters in the provider listing. The names of the members are those of the listing. */
export function offering(): JsonObject {
  return {
    name: ACP_OFFERING_NAME,
    slaMinutes: SLA_MINUTES,
    priceType: "fixed",
    priceValue: Number(PAYMENT_DECISION_PRICE.amount),
    requiredFunds: false,
    requirements: requirementSchema(),
    deliverable: deliverableSchema(),
  }
}

function titled(title: string, schema: TSchema): PlainSchema {
  return { $schema: DRAFT_07, title, ...draft07(jsonOf(schema)) }
}

/** Without `format`: Ajv without its formats plug-in refuses to compile it. Every date has a pattern too. */
function draft07(schema: JsonObject): PlainSchema {
  const { format: _, ...others } = mapParts(schema, draft07)
  return others
}
