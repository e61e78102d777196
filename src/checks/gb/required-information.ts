/** Pointers to the request members that could improve the answer. */
import { CHANGE_POINTERS } from "../change-challenge.ts"

const POINTERS: Readonly<Record<string, string>> = {
  COMPANY_NOT_REGISTERED: "/company_number",
  COMPANY_NOT_IN_MONTHLY_FILE: "/company_number",
  SUPPLIER_COMPANY_MISMATCH: "/supplier/company_number",
  INVOICE_COMPANY_MISMATCH: "/invoice/company_number",
  INVOICE_NAME_MISMATCH: "/invoice/invoice_company_name",
  INVOICE_NAME_IS_PREVIOUS_NAME: "/invoice/invoice_company_name",
  INVOICE_NAME_SIMILAR: "/invoice/invoice_company_name",
  PAYEE_COMPANY_MISMATCH: "/payee/company_number",
  PAYEE_BINDING_EXPIRED: "/payee/binding_evidence",
  PAYEE_BINDING_NOT_YET_VALID: "/payee/binding_evidence",
  PAYEE_BINDING_TOO_OLD: "/payee/binding_evidence",
  PAYEE_BINDING_WEAK: "/payee/binding_evidence",
}

/**
 * Returns JSON pointers without duplicates, in the order of `codes`. `change` is the pointer of the object that states the change, or ""
 * for the body.
 */
export function requiredInformation(codes: readonly string[], change: string): string[] {
  const pointers = codes.flatMap((code) => {
    const inChange = CHANGE_POINTERS[code]
    return inChange === undefined ? (POINTERS[code] ?? []) : change + inChange
  })
  return [...new Set(pointers)]
}
