import type { InputSchemaAnswer } from "../../../../schemas/us/eligibility.ts"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { digestOf } from "../../../core/digest.ts"

const DIALECT = "https://json-schema.org/draft/2020-12/schema"

/**
 * The answer of the public schema route, made once. TypeBox schemas are JSON Schema; the copy drops their symbols and names its
 * dialect itself, so that it can be saved and used alone.
 */
export function inputSchemaAnswer(): string {
  const schema: unknown = { $schema: DIALECT, ...JSON.parse(JSON.stringify(DecisionRequest)) }
  const answer: InputSchemaAnswer = {
    schema_version: "1.0.0",
    product: PAYMENT_DECISION_PRODUCT,
    dialect: DIALECT,
    schema,
    schema_digest: digestOf(schema),
    next_machine_action: "BUILD_AND_SIGN_REQUEST",
  }
  return canonicalize(answer)
}
