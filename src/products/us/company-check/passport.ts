/** The passport of a company check. It contains only what the check proved, and everything that the check questioned. Pure. */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import {
  COMPANY_CHECK_PRODUCT,
  type CompanyCheckFacts,
  type CompanyCheckRequest,
  type CompanyCheckResult,
} from "../../../../schemas/us/company-check.ts"
import type { CompanyPassportPayload } from "../../../../schemas/us/company-passport.ts"
import type { Attachment, AttachmentParts } from "../../../business-answers/answer-product.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { digestOf } from "../../../core/digest.ts"
import { signedAnswer } from "../../../core/signer.ts"
import { named } from "../registered-name.ts"
import type { CompanyCheck } from "./rules.ts"

/** Statements that a passport does not make. They are listed so that no reader assumes them. */
const LIMITATIONS = [
  "PROVES_NO_MORE_THAN_THE_CHECK",
  "NO_PAYMENT_AUTHORITY",
  "KEY_STATUS_NOT_INCLUDED",
  "VALID_ONLY_WITHIN_WINDOW",
]

export function companyPassport({ request, facts, core, signer }: AttachmentParts<CompanyCheck>): Attachment | null {
  const payload = passportPayload(request, facts, core)
  return payload && { id: payload.passport_id, json: canonicalize(signedAnswer(signer, payload)) }
}

/** Returns null if the result of the check is not good enough to show to others. */
export function passportPayload(
  { company }: CompanyCheckRequest,
  facts: CompanyCheckFacts,
  core: AnswerCore<CompanyCheckResult>,
): CompanyPassportPayload | null {
  const { passport } = core.result
  if (!passport) return null
  const { identifiers } = checkSupplierIdentifiers(company.identifiers)
  return {
    domain: "svc.company-passport.v1",
    schema_version: "1.0.0",
    passport_id: passport.passport_id,
    issuer: facts.issuer,
    environment: facts.environment,
    company: {
      legal_name: named(company, facts.registration).legal_name ?? "",
      identifiers: identifiers.map(({ kind, value, assurance }) => ({ kind, value, assurance })),
    },
    ...passportViewOfCheck(core),
    issued_at: facts.at,
  }
}

type PassportView = Omit<
  CompanyPassportPayload,
  "domain" | "schema_version" | "passport_id" | "issuer" | "environment" | "company" | "issued_at"
>

/** The passport members that a holder of the check's answer can compare. */
export function passportViewOfCheck(core: AnswerCore<CompanyCheckResult>): PassportView {
  const { identity_state, restricted_party } = core.result
  return {
    identity_state,
    restricted_party: { state: restricted_party.state },
    sources: core.evidence
      .filter(({ source_url: url }) => !url.startsWith("urn:svc:evidence:"))
      .map(({ evidence_id, source_id, source_version, source_timestamp, retrieved_at, claims }) => {
        return { evidence_id, source_id, source_version, source_timestamp, retrieved_at, claims }
      }),
    check: {
      product: COMPANY_CHECK_PRODUCT,
      delivery_id: core.delivery_id,
      core_digest: digestOf(core),
      decision: core.decision,
      authorization: core.authorization,
      machine_action: core.machine_action,
      reason_codes: [...core.reason_codes],
      conditions: [...core.conditions],
      policy: core.policy,
    },
    limitations: [...new Set([...LIMITATIONS, ...core.limitations, ...core.coverage.limitations])],
    valid_as_of: core.valid_as_of,
    valid_until: core.valid_until,
  }
}
