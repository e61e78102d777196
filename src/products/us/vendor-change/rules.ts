import type { ChangeFacts } from "../../../../schemas/change-facts.ts"
import {
  authorizeVendorChange,
  VENDOR_CHANGE_PRODUCT,
  type VendorChangeFacts,
  type VendorChangeRequest,
  type VendorChangeResult,
  vendorChangeSchemas,
} from "../../../../schemas/us/vendor-change.ts"
import { US_COVERAGE } from "../../../checks/us/us-company.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import type { RecordedCompany } from "../company-facts.ts"
import type { ChangeAuthority } from "./change-authority.ts"
import { decide } from "./decide.ts"
import { VENDOR_CHANGE_POLICIES, type VendorChangePolicy } from "./policy.ts"

export interface VendorChange {
  readonly request: VendorChangeRequest
  readonly facts: VendorChangeFacts
  readonly records: RecordedCompany & {
    readonly change: ChangeFacts
    readonly delegation: VendorChangeFacts["delegation"]
  }
  readonly named: { readonly change: ChangeFacts }
  readonly result: VendorChangeResult
  readonly recordsForChecks: ChangeAuthority
  readonly policy: VendorChangePolicy
}

export const vendorChangeRules: BusinessAnswerRules<VendorChange> = {
  id: VENDOR_CHANGE_PRODUCT,
  country: "US",
  path: authorizeVendorChange.path,
  description: "US vendor payment-detail change authorization, one delivered answer",
  price: authorizeVendorChange.price.amount,
  schemas: vendorChangeSchemas,
  policies: VENDOR_CHANGE_POLICIES,
  coverage: US_COVERAGE,
  decide,
}
