import type { ChangeFacts } from "../../../../schemas/change-facts.ts"
import {
  authorizeGbVendorChange,
  GB_VENDOR_CHANGE_PRODUCT,
  type GbVendorChangeFacts,
  type GbVendorChangeRequest,
  type GbVendorChangeResult,
  gbVendorChangeSchemas,
} from "../../../../schemas/gb/vendor-change.ts"
import { GB_COVERAGE } from "../../../checks/gb/coverage.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import { decide } from "./decide.ts"
import { GB_VENDOR_CHANGE_POLICIES, type GbVendorChangePolicy } from "./policy.ts"

export interface GbVendorChange {
  readonly request: GbVendorChangeRequest
  readonly facts: GbVendorChangeFacts
  readonly records: ChangeFacts
  readonly named: ChangeFacts
  readonly result: GbVendorChangeResult
  readonly policy: GbVendorChangePolicy
}

export const gbVendorChangeRules: BusinessAnswerRules<GbVendorChange> = {
  id: GB_VENDOR_CHANGE_PRODUCT,
  country: "GB",
  path: authorizeGbVendorChange.path,
  description: "UK vendor payment-detail change authorization, one delivered answer",
  price: authorizeGbVendorChange.price.amount,
  schemas: gbVendorChangeSchemas,
  policies: GB_VENDOR_CHANGE_POLICIES,
  coverage: GB_COVERAGE,
  subject: (result) => ({
    "/company_number": result.company_number,
    "/proposed_payee_fingerprint": result.proposed_payee_fingerprint,
  }),
  decide,
}
