/** The members of a passport that a holder of the check's answer can compare. The hash is a parameter: it runs in a browser. */
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import { COMPANY_CHECK_PRODUCT, type CompanyCheckResult } from "../../../schemas/us/company-check.ts"
import type { CompanyPassportPayload } from "../../../schemas/us/company-passport.ts"
import type { DocumentCrypto } from "../crypto/document-crypto.ts"
import { decisionOf } from "./answer-view.ts"

/** Statements that a passport does not make. They are listed so that no reader assumes them. */
const LIMITATIONS = [
  "PROVES_NO_MORE_THAN_THE_CHECK",
  "NO_PAYMENT_AUTHORITY",
  "KEY_STATUS_NOT_INCLUDED",
  "VALID_ONLY_WITHIN_WINDOW",
]

type PassportView = Omit<
  CompanyPassportPayload,
  "domain" | "schema_version" | "passport_id" | "issuer" | "environment" | "company" | "issued_at"
>

export function passportViewOfCheck(
  core: AnswerCore<CompanyCheckResult>,
  digestOf: DocumentCrypto["digestOf"],
): PassportView {
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
      ...decisionOf(core),
    },
    limitations: [...new Set([...LIMITATIONS, ...core.limitations, ...core.coverage.limitations])],
    valid_as_of: core.valid_as_of,
    valid_until: core.valid_until,
  }
}
