import type { SupplierApprovalRequest } from "../../../../schemas/us/supplier-approval.ts"
import { supplierApprovalExample } from "../../../../src/products/us/supplier-approval/example.ts"
import { supplierApprovalRules } from "../../../../src/products/us/supplier-approval/rules.ts"
import { freshCall, type usBody } from "../../../fixtures/answers.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import { usRefused } from "../../../fixtures/us-refused.ts"

const { id, country, path, price, schemas } = supplierApprovalRules
const body = (changes: Parameters<typeof usBody>[0] = {}): SupplierApprovalRequest => ({
  ...supplierApprovalExample(freshCall()),
  ...changes,
})

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  body: () => body(),
  otherBody: (one: SupplierApprovalRequest) => ({ ...one, risk_policy: { policy_id: "other", tolerance: "MEDIUM" } }),
  refused: usRefused(body),
  sourceFaults: US_LIST_FAULTS,
  contended: {},
  recovery: null,
}
