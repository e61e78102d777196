import {
  type ContinuedAuthorization,
  continueVendorAuthorization,
  VENDOR_CONTINUATION_PRODUCT,
  type VendorContinuationFacts,
  type VendorContinuationRequest,
  type VendorContinuationResult,
  vendorContinuationSchemas,
} from "../../../../schemas/us/vendor-continuation.ts"
import type { NamedPrior } from "../../../checks/us/continuation.ts"
import { US_COVERAGE } from "../../../checks/us/us-company.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import type { RecordedCompany } from "../company-facts.ts"
import { decide } from "./decide.ts"
import { VENDOR_CONTINUATION_POLICIES, type VendorContinuationPolicy } from "./policy.ts"

export interface VendorContinuation {
  readonly request: VendorContinuationRequest
  readonly facts: VendorContinuationFacts
  readonly records: RecordedCompany & { readonly prior: ContinuedAuthorization | null }
  readonly named: { readonly prior: NamedPrior | null }
  readonly result: VendorContinuationResult
  readonly policy: VendorContinuationPolicy
}

export const vendorContinuationRules: BusinessAnswerRules<VendorContinuation> = {
  id: VENDOR_CONTINUATION_PRODUCT,
  country: "US",
  path: continueVendorAuthorization.path,
  description: "US vendor authorization continued, one delivered answer",
  price: continueVendorAuthorization.price.amount,
  schemas: vendorContinuationSchemas,
  policies: VENDOR_CONTINUATION_POLICIES,
  coverage: US_COVERAGE,
  decide,
}
