import type { Company } from "../../../schemas/us/operation-request.ts"
import type { ApprovalFact } from "../../../schemas/us/payment-authorization.ts"
import { legalNameKey } from "../../core/legal-name-key.ts"
import { instant } from "../../core/time.ts"
import { found, type GateResult } from "../policy/gate.ts"
import { codesOf, type Finding, finding, findings } from "../policy/origins.ts"
import { type PolicyReason, reasonRow } from "../policy/policy.ts"
import { checkSupplierIdentifiers } from "./supplier-identifiers.ts"

/**
 * Checks that this payer holds an approval of the supplier: an answer that allowed it to continue and that has not expired at `at` (ms).
 * CHOICE: the same identifier under another name is another supplier, as in the Payment Decision. Otherwise a name that no list has could
 * be screened instead of the approved one. A request without a name is screened by the registered name.
 */
export function supplierApprovalGate(
  approval: ApprovalFact | null,
  company: Company,
  at: number,
): GateResult<"SUPPLIER_APPROVAL"> {
  const limitations = [approval?.decision === "CONDITIONAL" && "SUPPLIER_APPROVED_ON_CONDITIONS"]
  return { gate: "SUPPLIER_APPROVAL", ...found(codesOf(approvalFindings(approval, company, at)), limitations) }
}

/** The findings of the gate. Every one is never sold. */
export function approvalFindings(approval: ApprovalFact | null, company: Company, at: number): Finding[] {
  if (approval === null) return [finding("SUPPLIER_APPROVAL_NOT_FOUND")]
  const { supplierKey } = checkSupplierIdentifiers(company.identifiers)
  const nameKey = legalNameKey(company.legal_name ?? "")
  const isSameSupplier = approval.vouches ?? approval.supplier_key === supplierKey
  const isOther = !isSameSupplier || (nameKey !== "" && approval.name_key !== nameKey)
  return findings(
    instant(approval.valid_until) <= at && finding("SUPPLIER_APPROVAL_EXPIRED"),
    isOther && finding("SUPPLIER_APPROVAL_DIFFERS"),
  )
}

/** Rows in order of precedence. */
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
    "The approval is of another supplier than the one to be paid, by its identifier or by its name.",
  ),
]
