import { SUPPLIER_APPROVAL_PRODUCT } from "../../../../schemas/us/supplier-approval.ts"
import { enterAnswer } from "../../../fixtures/enter-answer.ts"
import type { Records } from "../../../fixtures/test-server.ts"
import { APPROVAL, approvalFact } from "./reasons.ts"

/** The approval that the tests' bodies name, as if their payer had bought it a day ago. */
export function enterApproval(server: Records): Promise<void> {
  const { supplier_key: subject, name_key: nameKey } = approvalFact()
  return enterAnswer(server, { product: SUPPLIER_APPROVAL_PRODUCT, executionId: APPROVAL, subject, nameKey })
}
