import { type Static, Type } from "@sinclair/typebox"
import { businessAnswer, UsAnswerCoverage } from "../business-answer.ts"
import { closed, DateTime } from "../common.ts"
import { paidOperation } from "../paid-operation.ts"
import { usFactsMembers } from "./operation-facts.ts"
import { usOperationMembers } from "./operation-request.ts"
import { RiskPolicy } from "./payment-decision.ts"

export const SUPPLIER_APPROVAL_PRODUCT = "us.supplier.approve.v1"

export const SupplierApprovalRequest = closed(
  { ...usOperationMembers, risk_policy: RiskPolicy },
  { $id: "SupplierApprovalRequest" },
)
export type SupplierApprovalRequest = Static<typeof SupplierApprovalRequest>

/** CHOICE: both members are null if the supplier is not approved, because an empty string would still look like a reference. */
export const SupplierApprovalResult = closed({
  /** The execution id. A payment authorization names it. */
  approval_reference: Type.Union([Type.String({ pattern: "^exe_[A-Za-z0-9_-]{22}$" }), Type.Null()]),
  approved_until: Type.Union([DateTime, Type.Null()]),
})
export type SupplierApprovalResult = Static<typeof SupplierApprovalResult>

export const SupplierApprovalFacts = closed(usFactsMembers)
export type SupplierApprovalFacts = Static<typeof SupplierApprovalFacts>

export const SupplierApprovalAnswer = businessAnswer(
  SUPPLIER_APPROVAL_PRODUCT,
  UsAnswerCoverage,
  SupplierApprovalResult,
)

/** The documents that offline verification reads. */
export const supplierApprovalSchemas = {
  request: SupplierApprovalRequest,
  facts: SupplierApprovalFacts,
  answer: SupplierApprovalAnswer,
}

export const approveSupplier = paidOperation({
  id: "us_supplier_approve",
  path: "/v1/us/suppliers/approve",
  summary: "Approve a US supplier for thirty days by its federal identity and the restricted-party lists",
  body: SupplierApprovalRequest,
  answer: SupplierApprovalAnswer,
  price: "0.20",
  product: {
    id: SUPPLIER_APPROVAL_PRODUCT,
    solution: "supplier-approval",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
  },
  intent: {
    name: "APPROVE_US_SUPPLIER",
    notFor: ["PAYMENT_AUTHORITY", "STATE_GOOD_STANDING", "CONTINUOUS_MONITORING"],
  },
})
