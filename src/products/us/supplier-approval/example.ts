import type { SupplierApprovalRequest } from "../../../../schemas/us/supplier-approval.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { usExample } from "../example-members.ts"

export function supplierApprovalExample(call: ExampleCall): SupplierApprovalRequest {
  return { ...usExample(call), risk_policy: { policy_id: "buyer-default", tolerance: "MEDIUM" } }
}
