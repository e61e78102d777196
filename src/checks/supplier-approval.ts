import type { ApprovalFact } from "../../schemas/us/payment-authorization.ts"
import { instant } from "../core/time.ts"
import { reasonRow } from "./answer-policy.ts"
import { found, type GateResult } from "./gate.ts"
import type { PolicyReason } from "./policy.ts"

/**
 * Whether the supplier was approved: by this payer, on an answer on which it could go on, which has not ended at `at` (ms). Approvals are
 * of the strongest identifier, whatever the company is called.
 */
export function supplierApprovalGate(
  approval: ApprovalFact | null,
  supplierKey: string,
  at: number,
): GateResult<"SUPPLIER_APPROVAL"> {
  const gate = "SUPPLIER_APPROVAL"
  if (approval === null) return { gate, ...found(["SUPPLIER_APPROVAL_NOT_FOUND"]) }
  return {
    gate,
    ...found(
      [
        instant(approval.valid_until) <= at && "SUPPLIER_APPROVAL_EXPIRED",
        approval.supplier_key !== supplierKey && "SUPPLIER_APPROVAL_DIFFERS",
      ],
      [approval.decision === "CONDITIONAL" && "SUPPLIER_APPROVED_ON_CONDITIONS"],
    ),
  }
}

/** In order of precedence. */
export const SUPPLIER_APPROVAL_ROWS: readonly PolicyReason[] = [
  reasonRow(
    "SUPPLIER_APPROVAL_NOT_FOUND",
    "SUPPLIER_APPROVAL",
    "HOLD",
    "APPROVE_SUPPLIER",
    "The reference names no supplier approval of this payer on which it could go on.",
  ),
  reasonRow(
    "SUPPLIER_APPROVAL_EXPIRED",
    "SUPPLIER_APPROVAL",
    "HOLD",
    "APPROVE_SUPPLIER",
    "The supplier's approval has ended.",
  ),
  reasonRow(
    "SUPPLIER_APPROVAL_DIFFERS",
    "SUPPLIER_APPROVAL",
    "HOLD",
    "APPROVE_SUPPLIER",
    "The approval is of another supplier than the one to be paid.",
  ),
]
