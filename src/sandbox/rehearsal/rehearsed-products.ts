/** The nine products as a rehearsal completes their drafts: what only the draft can say, and an example of all else. */
import type { TSchema } from "@sinclair/typebox"
import { GB_PAYMENT_PRODUCT, GbPaymentRequest } from "../../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT, GbVendorChangeRequest } from "../../../schemas/gb/vendor-change.ts"
import { COMPANY_CHECK_PRODUCT, CompanyCheckRequest } from "../../../schemas/us/company-check.ts"
import { PAYEE_VERIFICATION_PRODUCT, PayeeVerificationRequest } from "../../../schemas/us/payee-verification.ts"
import {
  PAYMENT_AUTHORIZATION_PRODUCT,
  PaymentAuthorizationRequest,
} from "../../../schemas/us/payment-authorization.ts"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { SUPPLIER_APPROVAL_PRODUCT, SupplierApprovalRequest } from "../../../schemas/us/supplier-approval.ts"
import { VENDOR_CHANGE_PRODUCT, VendorChangeRequest } from "../../../schemas/us/vendor-change.ts"
import { VENDOR_CONTINUATION_PRODUCT, VendorContinuationRequest } from "../../../schemas/us/vendor-continuation.ts"
import type { Signer } from "../../core/signer.ts"
import type { ExampleCall } from "../../products/common/example-call.ts"
import { gbPaymentExample } from "../../products/gb/payment/example.ts"
import { gbVendorChangeExample } from "../../products/gb/vendor-change/example.ts"
import { companyCheckExample } from "../../products/us/company-check/example.ts"
import { payeeVerificationExample } from "../../products/us/payee-verification/example.ts"
import { paymentAuthorizationExample } from "../../products/us/payment-authorization/example.ts"
import { decisionDraft } from "../../products/us/payment-decision/example.ts"
import { supplierApprovalExample } from "../../products/us/supplier-approval/example.ts"
import { vendorChangeExample } from "../../products/us/vendor-change/example.ts"
import { vendorContinuationExample } from "../../products/us/vendor-continuation/example.ts"

export interface ExampleParts {
  readonly call: ExampleCall
  /** Its issuer is the Agent ID. */
  readonly agent: Signer
  /** Base URL of the service that decides. */
  readonly audience: string
  /** UK: the company number of the draft. */
  readonly companyNumber: string | undefined
}

export interface RehearsedProduct {
  readonly id: string
  readonly schema: TSchema
  /** Pointers of what names the party. Without them there is nothing to decide, so they are never made up. */
  readonly party: readonly string[]
  example(parts: ExampleParts): object
}

const US_COMPANY = ["/company/identifiers"] as const

export const REHEARSED_PRODUCTS: readonly RehearsedProduct[] = [
  {
    id: PAYMENT_DECISION_PRODUCT,
    schema: DecisionRequest,
    party: ["/supplier/identifiers"],
    example: ({ call, agent }) => decisionDraft(call, agent),
  },
  {
    id: COMPANY_CHECK_PRODUCT,
    schema: CompanyCheckRequest,
    party: US_COMPANY,
    example: ({ call }) => companyCheckExample(call),
  },
  {
    id: SUPPLIER_APPROVAL_PRODUCT,
    schema: SupplierApprovalRequest,
    party: US_COMPANY,
    example: ({ call }) => supplierApprovalExample(call),
  },
  {
    id: PAYEE_VERIFICATION_PRODUCT,
    schema: PayeeVerificationRequest,
    party: US_COMPANY,
    example: ({ call }) => payeeVerificationExample(call),
  },
  {
    id: PAYMENT_AUTHORIZATION_PRODUCT,
    schema: PaymentAuthorizationRequest,
    party: US_COMPANY,
    example: ({ call }) => paymentAuthorizationExample(call),
  },
  {
    id: VENDOR_CHANGE_PRODUCT,
    schema: VendorChangeRequest,
    party: US_COMPANY,
    example: ({ call, agent, audience }) => vendorChangeExample(call, { agent, audience }),
  },
  {
    id: VENDOR_CONTINUATION_PRODUCT,
    schema: VendorContinuationRequest,
    party: US_COMPANY,
    example: ({ call }) => vendorContinuationExample(call),
  },
  {
    id: GB_PAYMENT_PRODUCT,
    schema: GbPaymentRequest,
    party: ["/company_number", "/invoice/invoice_company_name"],
    example: ({ call, companyNumber }) => gbPaymentExample(call, companyNumber),
  },
  {
    id: GB_VENDOR_CHANGE_PRODUCT,
    schema: GbVendorChangeRequest,
    party: ["/company_number"],
    example: ({ call }) => gbVendorChangeExample(call),
  },
]
