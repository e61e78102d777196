/** The free eligibility check of the answer products: one line per check before a quote. */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox"
import { GbCoverage, UsAnswerCoverage } from "./business-answer.ts"
import { closed, DateTime, enumeration } from "./common.ts"
import { type Intent, operation, type SoldProduct } from "./operation.ts"
import { problem } from "./problem.ts"

/** Each product has some of these checks. Its reply lists them in the order in which they run before a quote. */
export const AnswerCheckId = enumeration(
  "REQUEST_COMPLETE",
  "AMOUNT_AND_CURRENCY",
  "AUDIENCE",
  "CHANGE",
  "DIGESTS",
  "COMPANY_IDENTIFIER",
  "AGENT_KEY",
  "REQUEST_SIGNATURE",
  "BUYER",
  "DELEGATION",
  "EVALUATION_TIME",
  "CONSISTENCY",
  "EVIDENCE_END",
  "OWN_RECORDS",
  "LEGAL_NAME",
  "INVOICE_NAME",
  "COMPANY_REGISTER",
  "EARLIER_AUTHORIZATION",
  "SOURCES",
  "PAYER_WALLET",
)
export type AnswerCheckId = Static<typeof AnswerCheckId>

/** `code` is the rejection of the paid route, or the reason of its uncharged answer. Null unless the state is FAILED. */
export function eligibilityLine<Id extends TSchema>(checkId: Id) {
  return closed({
    check_id: checkId,
    state: enumeration("PASSED", "FAILED", "NOT_EVALUATED"),
    code: Type.Union([Type.String(), Type.Null()]),
    pointers: Type.Array(Type.String()),
  })
}

const AnswerEligibilityLine = eligibilityLine(AnswerCheckId)

export const AnswerEligibilityResponse = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    product: Type.String(),
    /** True if no line failed. A check that needs the payment is NOT_EVALUATED. */
    eligible: Type.Boolean(),
    checks: Type.Array(AnswerEligibilityLine),
    required_information: Type.Array(Type.String({ description: "JSON pointer of a missing member" })),
    coverage: Type.Union([UsAnswerCoverage, GbCoverage]),
    charged: Type.Literal(false),
    quote_created: Type.Literal(false),
    limitations: Type.Array(Type.String()),
    valid_as_of: DateTime,
    next_machine_action: Type.String(),
  },
  { $id: "AnswerEligibilityResponse" },
)
export type AnswerEligibilityResponse = Static<typeof AnswerEligibilityResponse>

export const CHECK_ELIGIBILITY: Intent = { name: "CHECK_ELIGIBILITY", notFor: ["DECISION", "QUOTE", "EVIDENCE"] }

/** CHOICE: a partial request is the product's request without some of its top-level members. A member that is present must be complete. */
export function eligibilityOperation(
  paid: { readonly id: string; readonly path: string; readonly body: TObject; readonly product?: SoldProduct },
  exampleBody: object,
) {
  return operation({
    exampleBody,
    id: `${paid.id}_eligibility`,
    method: "POST",
    path: `${paid.path}/eligibility`,
    summary: "Free checks before a quote, on a partial request",
    body: Type.Partial(paid.body, { $id: `${paid.body.$id}Eligibility`, additionalProperties: false }),
    responses: {
      200: { description: "One line per check", schema: AnswerEligibilityResponse },
      422: problem("A member that is present does not match the closed schema"),
    },
    authentication: "NONE",
    lifecycle: "ACTIVE",
    price: null,
    cors: "NONE",
    bankData: "REFUSED",
    rateLimit: { group: "eligibility", perMinute: 30 },
    ...(paid.product && { partOf: paid.product }),
    intent: CHECK_ELIGIBILITY,
  })
}
