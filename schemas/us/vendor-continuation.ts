import { type Static, Type } from "@sinclair/typebox"
import { businessAnswer, UsAnswerCoverage } from "../business-answer.ts"
import { EvidenceReference } from "../caller-evidence.ts"
import { closed, DateTime, enumeration } from "../common.ts"
import { paidOperation } from "../paid-operation.ts"
import { ScreeningState } from "../screening-facts.ts"
import { usFactsMembers } from "./operation-facts.ts"
import { usOperationMembers } from "./operation-request.ts"

export const VENDOR_CONTINUATION_PRODUCT = "us.vendor.authorization.continue.v1"

export const VendorContinuationRequest = closed(
  { ...usOperationMembers, prior_authorization_reference: EvidenceReference },
  { $id: "VendorContinuationRequest" },
)
export type VendorContinuationRequest = Static<typeof VendorContinuationRequest>

const Text = Type.Union([Type.String(), Type.Null()])

/** One difference since the earlier authorization. `before` or `after` is null if there was or is no value. */
export const ChangeSince = closed({
  what: enumeration(
    "LIST_VERSION",
    "LISTED_ENTRY",
    "SCREENING_STATE",
    "SCORER_VERSION",
    "REGISTRATION_FOUND",
    "REGISTERED_NAME",
    "REGISTERED_NAME_AGREES",
    "REGISTRATION_STATUS",
    "REGISTRATION_CURRENT",
  ),
  /** Source of the difference: a list or register. Null if it has no single source. */
  source_id: Text,
  before: Text,
  after: Text,
})
export type ChangeSince = Static<typeof ChangeSince>

export const VendorContinuationResult = closed({
  prior_authorization_reference: Type.String(),
  /** Null if nothing is continued. */
  continued_until: Type.Union([DateTime, Type.Null()]),
  changed_since: Type.Array(ChangeSince),
})
export type VendorContinuationResult = Static<typeof VendorContinuationResult>

/** The record of one register for one identifier at the time of the earlier authorization. */
export const RegisteredThen = closed({
  source_id: Type.String(),
  scheme: Type.String(),
  value: Type.String(),
  found: Type.Boolean(),
  name_agrees: Type.Boolean(),
  registered_name: Text,
  status: Text,
  is_current: Type.Union([Type.Boolean(), Type.Null()]),
})
export type RegisteredThen = Static<typeof RegisteredThen>

/** The earlier authorization with the facts of that time, read from its stored facts. */
export const ContinuedAuthorization = closed({
  execution_id: Type.String(),
  product: Type.String(),
  subject: Type.String(),
  /** Normalised legal name, or "" if none was given. */
  name_key: Type.String(),
  decided_at: DateTime,
  /** True if its holder has revoked it since. */
  withdrawn: Type.Boolean(),
  lists: Type.Array(closed({ source_id: Type.String(), source_version: Type.String() })),
  screening: closed({
    state: ScreeningState,
    scorer_version: Type.String(),
    entries: Type.Array(closed({ source_id: Type.String(), entry_id: Type.String() })),
  }),
  registrations: Type.Array(RegisteredThen),
  /**
   * True if it is about the request's supplier and named one of the anchors that the request names (rulings 89). Absent in facts of v1: the
   * keys decide.
   */
  vouches: Type.Optional(Type.Boolean()),
})
export type ContinuedAuthorization = Static<typeof ContinuedAuthorization>

export const VendorContinuationFacts = closed({
  ...usFactsMembers,
  /** Null if the reference names no authorization of this payer. */
  prior_authorization: Type.Union([ContinuedAuthorization, Type.Null()]),
})
export type VendorContinuationFacts = Static<typeof VendorContinuationFacts>

export const VendorContinuationAnswer = businessAnswer(
  VENDOR_CONTINUATION_PRODUCT,
  UsAnswerCoverage,
  VendorContinuationResult,
)

/** The documents that offline verification reads. */
export const vendorContinuationSchemas = {
  request: VendorContinuationRequest,
  facts: VendorContinuationFacts,
  answer: VendorContinuationAnswer,
}

export const continueVendorAuthorization = paidOperation({
  id: "us_vendor_authorization_continue",
  path: "/v1/us/vendors/authorizations/continue",
  summary: "Continue an earlier authorization of a US vendor against today's lists and registers",
  body: VendorContinuationRequest,
  answer: VendorContinuationAnswer,
  price: "0.10",
  product: {
    id: VENDOR_CONTINUATION_PRODUCT,
    solution: "vendor-change-continuous-authorization",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
  },
  intent: {
    name: "CONTINUE_US_VENDOR_AUTHORIZATION",
    notFor: ["MOVING_MONEY", "FIRST_AUTHORIZATION", "CONTINUOUS_MONITORING"],
  },
})
