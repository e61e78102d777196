/** The passport of a company check. It contains only what the check proved, and everything that the check questioned. Pure. */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import type {
  CompanyCheckFacts,
  CompanyCheckRequest,
  CompanyCheckResult,
} from "../../../../schemas/us/company-check.ts"
import type { CompanyPassportPayload } from "../../../../schemas/us/company-passport.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { passportViewOfCheck } from "../../../core/capsule/passport-view.ts"
import { digestOf } from "../../../core/digest.ts"
import { signedAnswer } from "../../../core/signer.ts"
import type { Attachment, AttachmentParts } from "../../common/answer-product.ts"
import { named } from "../registered-name.ts"
import type { CompanyCheck } from "./rules.ts"

export function companyPassport({ request, facts, core, signer }: AttachmentParts<CompanyCheck>): Attachment | null {
  const payload = passportPayload(request, facts, core)
  return payload && { id: payload.passport_id, json: canonicalize(signedAnswer(signer, payload)) }
}

/** Returns null if the result of the check is not good enough to show to others. */
function passportPayload(
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
    ...passportViewOfCheck(core, digestOf),
    issued_at: facts.at,
  }
}
