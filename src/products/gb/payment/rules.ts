import type { ChangeFacts } from "../../../../schemas/change-facts.ts"
import {
  authorizeGbPayment,
  GB_PAYMENT_PRODUCT,
  type GbPaymentFacts,
  type GbPaymentRequest,
  type GbPaymentResult,
  gbPaymentSchemas,
} from "../../../../schemas/gb/payment.ts"
import { GB_COVERAGE } from "../../../checks/gb/coverage.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import { decide } from "./decide.ts"
import { GB_PAYMENT_POLICIES, type GbPaymentPolicy } from "./policy.ts"

export interface GbPayment {
  readonly request: GbPaymentRequest
  readonly facts: GbPaymentFacts
  readonly records: { readonly change: ChangeFacts | null }
  readonly named: { readonly change: ChangeFacts | null }
  readonly result: GbPaymentResult
  readonly policy: GbPaymentPolicy
}

export const gbPaymentRules: BusinessAnswerRules<GbPayment> = {
  id: GB_PAYMENT_PRODUCT,
  country: "GB",
  path: authorizeGbPayment.path,
  description: "UK business payment authorization, one delivered answer",
  price: authorizeGbPayment.price.amount,
  schemas: gbPaymentSchemas,
  policies: GB_PAYMENT_POLICIES,
  coverage: GB_COVERAGE,
  subject: (result) => ({
    "/company_number": result.company_number,
    "/payee/payee_fingerprint": result.payee_fingerprint,
    "/amount": result.amount,
    "/currency": result.currency,
  }),
  decide,
}
