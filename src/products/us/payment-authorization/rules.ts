import type { EarlierAnswer } from "../../../../schemas/us/invoice-facts.ts"
import type { ApprovalFact } from "../../../../schemas/us/payment-authorization.ts"
import {
  authorizePayment,
  PAYMENT_AUTHORIZATION_PRODUCT,
  type PaymentAuthorizationFacts,
  type PaymentAuthorizationRequest,
  type PaymentAuthorizationResult,
  paymentAuthorizationSchemas,
} from "../../../../schemas/us/payment-authorization.ts"
import { US_COVERAGE } from "../../../checks/us/us-company.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import type { RecordedCompany } from "../company-facts.ts"
import { decide } from "./decide.ts"
import { PAYMENT_AUTHORIZATION_POLICIES, type PaymentAuthorizationPolicy } from "./policy.ts"

export interface PaymentAuthorization {
  readonly request: PaymentAuthorizationRequest
  readonly facts: PaymentAuthorizationFacts
  readonly records: RecordedCompany & { readonly earlier: EarlierAnswer[]; readonly approval: ApprovalFact | null }
  readonly named: { readonly approval: ApprovalFact | null }
  readonly result: PaymentAuthorizationResult
  readonly policy: PaymentAuthorizationPolicy
}

export const paymentAuthorizationRules: BusinessAnswerRules<PaymentAuthorization> = {
  id: PAYMENT_AUTHORIZATION_PRODUCT,
  country: "US",
  path: authorizePayment.path,
  description: "US payment authorization, one delivered answer",
  price: authorizePayment.price.amount,
  schemas: paymentAuthorizationSchemas,
  policies: PAYMENT_AUTHORIZATION_POLICIES,
  coverage: US_COVERAGE,
  decide,
}
