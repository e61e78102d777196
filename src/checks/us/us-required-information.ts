/** Pointers to the body members of a US operation that could improve the answer. */
import type { GateFindings } from "../policy/gate.ts"

const POINTERS: Readonly<Record<string, string>> = {
  SUPPLIER_NAME_MISMATCH: "/company/legal_name",
  RESTRICTED_PARTY_POSSIBLE_MATCH: "/company/identifiers",
  REGISTRATION_NOT_FOUND: "/company/identifiers",
  OBLIGATION_DOCUMENT_CHANGED: "/invoice/document_digest",
  DOCUMENT_REUSED_FOR_OTHER_OBLIGATION: "/invoice/document_digest",
  PAYEE_BINDING_EXPIRED: "/binding_evidence",
  PAYEE_BINDING_NOT_YET_VALID: "/binding_evidence",
  PAYEE_BINDING_TOO_OLD: "/binding_evidence",
  PAYEE_BINDING_WEAK: "/binding_evidence",
  SUPPLIER_APPROVAL_NOT_FOUND: "/supplier_approval_reference",
  SUPPLIER_APPROVAL_EXPIRED: "/supplier_approval_reference",
  SUPPLIER_APPROVAL_DIFFERS: "/supplier_approval_reference",
}

/** Returns JSON pointers without duplicates, in the order of the gates and of their findings. */
export function usRequiredInformation(gates: readonly Pick<GateFindings, "codes">[]): string[] {
  return [...new Set(gates.flatMap(({ codes }) => codes).flatMap((code) => POINTERS[code] ?? []))]
}
