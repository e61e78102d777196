import type { EarlierAnswer } from "../../../../schemas/us/invoice-facts.ts"
import {
  PAYEE_VERIFICATION_PRODUCT,
  type PayeeVerificationFacts,
  type PayeeVerificationRequest,
  type PayeeVerificationResult,
  payeeVerificationSchemas,
  verifyPayee,
} from "../../../../schemas/us/payee-verification.ts"
import { US_COVERAGE } from "../../../checks/us/us-company.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import type { RecordedCompany } from "../company-facts.ts"
import { decide } from "./decide.ts"
import { PAYEE_VERIFICATION_POLICIES, type PayeeVerificationPolicy } from "./policy.ts"

export interface PayeeVerification {
  readonly request: PayeeVerificationRequest
  readonly facts: PayeeVerificationFacts
  readonly records: RecordedCompany & { readonly earlier: EarlierAnswer[] }
  readonly result: PayeeVerificationResult
  readonly policy: PayeeVerificationPolicy
}

export const payeeVerificationRules: BusinessAnswerRules<PayeeVerification> = {
  id: PAYEE_VERIFICATION_PRODUCT,
  country: "US",
  path: verifyPayee.path,
  description: "US invoice and payee verification, one delivered answer",
  price: verifyPayee.price.amount,
  schemas: payeeVerificationSchemas,
  policies: PAYEE_VERIFICATION_POLICIES,
  coverage: US_COVERAGE,
  decide,
}
