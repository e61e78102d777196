import { type Static, Type } from "@sinclair/typebox"
import { businessAnswer, UsAnswerCoverage } from "../business-answer.ts"
import { closed, DateTime } from "../common.ts"
import { paidOperation } from "../paid-operation.ts"
import { ScreeningState } from "../screening-facts.ts"
import { usFactsMembers } from "./operation-facts.ts"
import { IdentityState, usOperationMembers } from "./operation-request.ts"

export const COMPANY_CHECK_PRODUCT = "us.company.check.v1"

export const CompanyCheckRequest = closed(usOperationMembers, { $id: "CompanyCheckRequest" })
export type CompanyCheckRequest = Static<typeof CompanyCheckRequest>

/** A listed party that may be the company, with the data a reviewer needs. The complete record is in the facts that `export` writes. */
export const Candidate = closed({
  source_id: Type.String(),
  entry_id: Type.String(),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  matched_on: Type.String(),
  explanation: Type.String(),
})
export type Candidate = Static<typeof Candidate>

export const CompanyCheckResult = closed({
  identity_state: IdentityState,
  restricted_party: closed({
    state: Type.Union([ScreeningState, Type.Literal("NOT_SCREENED")]),
    candidates: Type.Array(Candidate),
  }),
  /** Null if the result of the check is not good enough to show to others. */
  passport: Type.Union([
    closed({ passport_id: Type.String(), uri: Type.String(), valid_until: DateTime }),
    Type.Null(),
  ]),
})
export type CompanyCheckResult = Static<typeof CompanyCheckResult>

export const CompanyCheckFacts = closed({ ...usFactsMembers, passport_id: Type.String() })
export type CompanyCheckFacts = Static<typeof CompanyCheckFacts>

export const CompanyCheckAnswer = businessAnswer(COMPANY_CHECK_PRODUCT, UsAnswerCoverage, CompanyCheckResult)

/** The documents that offline verification reads. */
export const companyCheckSchemas = {
  request: CompanyCheckRequest,
  facts: CompanyCheckFacts,
  answer: CompanyCheckAnswer,
}

export const checkCompany = paidOperation({
  id: "us_company_check",
  path: "/v1/us/company-check",
  summary: "Check a US company's federal identity and the restricted-party lists",
  body: CompanyCheckRequest,
  answer: CompanyCheckAnswer,
  price: "0.04",
  product: { id: COMPANY_CHECK_PRODUCT, solution: "company-check", jurisdiction: "US", coverage: "FEDERAL_ONLY" },
  intent: { name: "CHECK_US_COMPANY", notFor: ["STATE_GOOD_STANDING", "CREDIT_RATING", "CONTINUOUS_MONITORING"] },
})
