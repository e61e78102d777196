/** The contact routes: free, and nothing but an opt-out of e-mail is stored. */
import {
  approveSupplierContact,
  authorizeGbPaymentContact,
  authorizeGbVendorChangeContact,
  authorizePaymentContact,
  authorizeVendorChangeContact,
  checkCompanyContact,
  continueVendorAuthorizationContact,
  verifyPayeeContact,
} from "../../schemas/contact-operations.ts"
import { authorizeGbPayment } from "../../schemas/gb/payment.ts"
import { authorizeGbVendorChange } from "../../schemas/gb/vendor-change.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { contactChannelOf, contactPaymentDecision } from "../../schemas/us/decision-contact.ts"
import { verifyPayee } from "../../schemas/us/payee-verification.ts"
import { authorizePayment } from "../../schemas/us/payment-authorization.ts"
import { approveSupplier } from "../../schemas/us/supplier-approval.ts"
import { authorizeVendorChange } from "../../schemas/us/vendor-change.ts"
import { continueVendorAuthorization } from "../../schemas/us/vendor-continuation.ts"
import { atFirstUse } from "../core/at-first-use.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import type { Store } from "../store/unit.ts"

/** The contact row of each product beside the Payment Decision, and its paid row. */
export const CONTACT_PRODUCTS = [
  [checkCompanyContact, checkCompany],
  [approveSupplierContact, approveSupplier],
  [verifyPayeeContact, verifyPayee],
  [authorizePaymentContact, authorizePayment],
  [authorizeVendorChangeContact, authorizeVendorChange],
  [continueVendorAuthorizationContact, continueVendorAuthorization],
  [authorizeGbPaymentContact, authorizeGbPayment],
  [authorizeGbVendorChangeContact, authorizeGbVendorChange],
] as const

export interface ContactDeps {
  readonly shell: Shell
  readonly store: Store
  /** The setting `acp_channel`. */
  readonly acpChannel: string
  /** False if the service takes no payments. */
  readonly takesPayments: boolean
}

export function contactRoutes(deps: ContactDeps): readonly Route[] {
  const { shell, acpChannel } = deps
  const replies = atFirstUse(async () => (await import("./contact-replies.ts")).contactReplies(deps))
  return [
    serve(shell, contactPaymentDecision, async (call) => (await replies()).decision(call)),
    serve(shell, contactChannelOf(acpChannel), async (call) => (await replies()).decision(call)),
    ...CONTACT_PRODUCTS.map(([contact, paid]) =>
      serve(shell, contact, async (call) => (await replies()).product(paid, call)),
    ),
  ]
}
