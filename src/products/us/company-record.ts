import type { Company } from "../../../schemas/us/operation-request.ts"
import { checkSupplierIdentifiers } from "../../checks/us/supplier-identifiers.ts"
import { legalNameKey } from "../../core/legal-name-key.ts"
import type { AnswerSubject } from "../common/answer-product.ts"

/** Returns the record keys of an answer about a US company. The subject is its strongest checked identifier (rulings 45). */
export function companySubject({ identifiers, legal_name: name }: Company): AnswerSubject {
  return {
    subject: checkSupplierIdentifiers(identifiers).supplierKey ?? "",
    nameKey: legalNameKey(name ?? ""),
    obligationKey: null,
    documentDigest: null,
    payeeFingerprint: null,
    destinationFingerprint: null,
  }
}
