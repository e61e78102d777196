import {
  approveSupplier,
  SUPPLIER_APPROVAL_PRODUCT,
  type SupplierApprovalFacts,
  type SupplierApprovalRequest,
  type SupplierApprovalResult,
  supplierApprovalSchemas,
} from "../../../../schemas/us/supplier-approval.ts"
import { US_COVERAGE } from "../../../checks/us/us-company.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import type { RecordedCompany } from "../company-facts.ts"
import { decide } from "./decide.ts"
import { SUPPLIER_APPROVAL_POLICIES, type SupplierApprovalPolicy } from "./policy.ts"

export interface SupplierApproval {
  readonly request: SupplierApprovalRequest
  readonly facts: SupplierApprovalFacts
  readonly records: RecordedCompany
  readonly result: SupplierApprovalResult
  readonly policy: SupplierApprovalPolicy
}

export const supplierApprovalRules: BusinessAnswerRules<SupplierApproval> = {
  id: SUPPLIER_APPROVAL_PRODUCT,
  country: "US",
  path: approveSupplier.path,
  description: "US supplier approval, one delivered answer",
  price: approveSupplier.price.amount,
  schemas: supplierApprovalSchemas,
  policies: SUPPLIER_APPROVAL_POLICIES,
  coverage: US_COVERAGE,
  decide,
}
