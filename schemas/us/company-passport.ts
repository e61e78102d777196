/**
 * The company capability passport (Interface, "Products": a free proof companion, not a paid product). It states what a delivered company
 * check proved and has its own signature, so that it can be shown to others without the answer. It does not name the buyer of the check and
 * contains no execution id.
 */
import { type Static, Type } from "@sinclair/typebox"
import { AnswerAction, AnswerAuthorization, AnswerDecision, AnswerPolicy } from "../business-answer.ts"
import { closed, DateTime, digestOver, enumeration, signedDocument } from "../common.ts"
import { StatedEnvironment } from "../environment.ts"
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { COMPANY_CHECK_PRODUCT, CompanyCheckResult } from "./company-check.ts"
import { IdentityState } from "./operation-request.ts"

export const PassportId = Type.String({ pattern: "^psp_[A-Za-z0-9_-]{22}$" })
const Words = Type.Array(Type.String())

/** One evidence observation of the check, without the members that only a reader of the facts needs. */
const PassportSource = closed({
  evidence_id: Type.String(),
  source_id: Type.String(),
  source_version: Type.String(),
  source_timestamp: DateTime,
  retrieved_at: DateTime,
  claims: Words,
})

export const CompanyPassportPayload = closed({
  domain: Type.Literal("svc.company-passport.v1"),
  schema_version: Type.Literal("1.0.0"),
  passport_id: PassportId,
  issuer: Type.String(),
  environment: StatedEnvironment,
  company: closed({
    /** The screened name: the given name, or the registered name if none was given. */
    legal_name: Type.String(),
    /** Strongest first, with the result of checking each identifier by itself. */
    identifiers: Type.Array(
      closed({
        kind: enumeration("lei", "uei", "cage", "cik", "ein"),
        value: Type.String(),
        assurance: enumeration("CHECK_DIGITS_VALID", "FORMAT_ONLY"),
      }),
    ),
  }),
  identity_state: IdentityState,
  /** Only the answer contains the candidates. */
  restricted_party: Type.Pick(CompanyCheckResult.properties.restricted_party, ["state"], {
    additionalProperties: false,
  }),
  /** Lists and registers. Statements of the caller are excluded. */
  sources: Type.Array(PassportSource),
  check: closed({
    product: Type.Literal(COMPANY_CHECK_PRODUCT),
    delivery_id: Type.String(),
    core_digest: digestOver("C14N of the answer without payment and economic_activity, with replayed false"),
    decision: AnswerDecision,
    authorization: AnswerAuthorization,
    machine_action: AnswerAction,
    reason_codes: Words,
    conditions: Words,
    policy: AnswerPolicy,
  }),
  limitations: Words,
  valid_as_of: DateTime,
  valid_until: DateTime,
  issued_at: DateTime,
})
export type CompanyPassportPayload = Static<typeof CompanyPassportPayload>

export const CompanyPassport = signedDocument(CompanyPassportPayload, { $id: "CompanyPassport" })
export type CompanyPassport = Static<typeof CompanyPassport>

export const getCompanyPassport = operation({
  ...FREE,
  id: "get_us_company_passport",
  method: "GET",
  path: "/v1/us/company-passports/{passportId}",
  summary: "The signed passport of a delivered company check; it proves what the check proved, never more",
  parameters: { passportId: PassportId },
  body: undefined,
  responses: {
    200: { description: "The passport, byte for byte", schema: CompanyPassport },
    304: { description: "Unchanged since the ETag sent" },
    404: problem("No delivered check has a passport with this id"),
  },
  cors: "PUBLIC",
  rateLimit: { group: "company-passports", perMinute: 300 },
  intent: { name: "READ_COMPANY_PASSPORT", notFor: ["NEW_CHECK", "CURRENT_STATE"] },
})
