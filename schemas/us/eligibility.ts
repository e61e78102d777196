import { type Static, Type } from "@sinclair/typebox"
import { ReviewState } from "../answer-review.ts"
import { closed, DateTime, enumeration } from "../common.ts"
import { eligibilityLine } from "../eligibility.ts"
import { reusableMembers } from "../problem.ts"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "./payment-decision.ts"
import { UsCoverage } from "./proof-capsule.ts"

/** CHOICE: a partial request is the decision request without some of its top-level members. A member that is present must be complete. */
export const EligibilityRequest = Type.Partial(DecisionRequest, {
  $id: "EligibilityRequest",
  additionalProperties: false,
})
export type EligibilityRequest = Static<typeof EligibilityRequest>

/** One line per check that runs before any quote, in that order. */
export const EligibilityCheckId = enumeration(
  "REQUEST_COMPLETE",
  "AMOUNT_AND_CURRENCY",
  "DIGESTS",
  "AGENT_KEY",
  "REQUEST_SIGNATURE",
  "IDEMPOTENCY_KEY",
  "EVALUATION_TIME",
  "BUYER",
  "DELEGATION",
  "MANDATE",
  "SUPPLIER_IDENTIFIER",
  "IDENTITY_COLLISION",
  "EARLIER_AUTHORIZATION",
  "LEGAL_NAME",
  "SOURCES",
  "DECISION_FEE_PAYER",
)
export type EligibilityCheckId = Static<typeof EligibilityCheckId>

const EligibilityLine = eligibilityLine(EligibilityCheckId)

export const EligibilityResponse = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    product: Type.Literal(PAYMENT_DECISION_PRODUCT),
    eligible: Type.Boolean(),
    checks: Type.Array(EligibilityLine),
    /** Present only with REUSABLE_DECISION_EXISTS. */
    reusable_decision: Type.Optional(closed(reusableMembers)),
    /** Of the decision that this signed request bought. Absent if nobody bought it, or if it has no hit that a person can clear. */
    review: Type.Optional(ReviewState),
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
