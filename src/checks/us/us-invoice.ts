/** Compares the invoice of a US operation with earlier answers to this payer, and defines the policy rows for the result. Pure. */

import type { Observation } from "../../../schemas/observation.ts"
import type { EarlierAnswer } from "../../../schemas/us/invoice-facts.ts"
import type { Company } from "../../../schemas/us/operation-request.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../../schemas/us/payment-authorization.ts"
import type { Invoice } from "../../../schemas/us/payment-decision.ts"
import { instant } from "../../core/time.ts"
import { callerStatement } from "../attested-evidence.ts"
import { obligationKey } from "../obligation.ts"
import type { GateResult } from "../policy/gate.ts"
import { reasonRow } from "../policy/policy.ts"
import { invoicePayeeGate } from "./invoice-payee.ts"
import { checkSupplierIdentifiers } from "./supplier-identifiers.ts"

interface InvoiceRequest {
  readonly company: Company
  readonly invoice: Invoice
}

interface Known {
  readonly at: string
  readonly earlier_answers: readonly EarlierAnswer[]
}

/**
 * CHOICE: only a payment authorization can have paid an obligation. A payee verification only records which document was checked, so
 * neither replaces the other. No operation lets a payer request a second payment of an obligation: a person checks it.
 */
export function invoiceGate(
  { company, invoice }: InvoiceRequest,
  facts: Known,
  walletListed: boolean,
): GateResult<"INVOICE_PAYEE"> {
  const { supplierKey } = checkSupplierIdentifiers(company.identifiers)
  const findings = invoicePayeeGate({
    walletListed,
    obligationKey: obligationKey(invoice.obligation_id),
    documentDigest: invoice.document_digest,
    earlier: facts.earlier_answers.map((one) => ({
      isSameSupplier: one.same_supplier ?? one.supplier_key === supplierKey,
      obligationKey: one.obligation_key,
      documentDigest: one.document_digest,
      authorizedUntil: one.product === PAYMENT_AUTHORIZATION_PRODUCT ? instant(one.valid_until) : null,
      isAcknowledged: false,
    })),
    at: instant(facts.at),
  })
  return { gate: "INVOICE_PAYEE", ...findings }
}

/** The invoice as the caller states it. The service never sees the document. */
export function invoiceEvidence(invoice: Invoice, at: string): Observation {
  return callerStatement({ sourceId: "CALLER_INVOICE_FIELDS", kind: "invoice-fields", at }, invoice)
}

/** Each policy places these rows in its own order of precedence. */
export const INVOICE_ROWS = {
  walletRestricted: reasonRow(
    "WALLET_RESTRICTED",
    "INVOICE_PAYEE",
    "BLOCK",
    "STOP",
    "The payee or destination wallet is a listed address.",
  ),
  alreadyAuthorized: reasonRow(
    "OBLIGATION_ALREADY_AUTHORIZED",
    "INVOICE_PAYEE",
    "BLOCK",
    "USE_EARLIER_AUTHORIZATION",
    "A current authorization for this obligation exists; a second one would pay it twice.",
  ),
  authorizedBefore: reasonRow(
    "OBLIGATION_AUTHORIZED_BEFORE",
    "INVOICE_PAYEE",
    "HOLD",
    "CONFIRM_OBLIGATION_IS_UNPAID",
    "This obligation was authorized before and may have been paid.",
  ),
  documentChanged: reasonRow(
    "OBLIGATION_DOCUMENT_CHANGED",
    "INVOICE_PAYEE",
    "HOLD",
    "CONFIRM_INVOICE_WITH_SUPPLIER",
    "The obligation was verified or authorized with another document.",
  ),
  documentReused: reasonRow(
    "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
    "INVOICE_PAYEE",
    "HOLD",
    "CONFIRM_INVOICE_WITH_SUPPLIER",
    "The document was used to verify or authorize another obligation.",
  ),
} as const
