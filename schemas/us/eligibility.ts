import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration } from "../common.ts"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "./payment-decision.ts"
import { UsCoverage } from "./proof-capsule.ts"

/** CHOICE: a partial request is the decision request with any top-level member left out; a member that is present is whole. */
export const EligibilityRequest = Type.Partial(DecisionRequest, {
  $id: "EligibilityRequest",
  additionalProperties: false,
})
export type EligibilityRequest = Static<typeof EligibilityRequest>

/** One line per row of the list that runs before any quote, in that order. */
export const EligibilityCheckId = enumeration(
  "REQUEST_COMPLETE",
  "AMOUNT_AND_CURRENCY",
  "DIGESTS",
  "AGENT_KEY",
  "REQUEST_SIGNATURE",
  "EVALUATION_TIME",
  "BUYER",
  "DELEGATION",
  "MANDATE",
  "SUPPLIER_IDENTIFIER",
  "IDENTITY_COLLISION",
  "LEGAL_NAME",
  "SOURCES",
  "DECISION_FEE_PAYER",
)
export type EligibilityCheckId = Static<typeof EligibilityCheckId>

/** `code` is the refusal the paid route would give, null unless the state is FAILED. */
export const EligibilityLine = closed({
  check_id: EligibilityCheckId,
  state: enumeration("PASSED", "FAILED", "NOT_EVALUATED"),
  code: Type.Union([Type.String(), Type.Null()]),
  pointers: Type.Array(Type.String()),
})
export type EligibilityLine = Static<typeof EligibilityLine>

export const EligibilityResponse = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    product: Type.Literal(PAYMENT_DECISION_PRODUCT),
    eligible: Type.Boolean(),
    checks: Type.Array(EligibilityLine),
    required_information: Type.Array(Type.String({ description: "JSON pointer of a missing member" })),
    coverage: UsCoverage,
    charged: Type.Literal(false),
    quote_created: Type.Literal(false),
    limitations: Type.Array(Type.String()),
    valid_as_of: DateTime,
    next_machine_action: Type.String(),
  },
  { $id: "EligibilityResponse" },
)
export type EligibilityResponse = Static<typeof EligibilityResponse>
