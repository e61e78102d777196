/** Schema and example of every paid product's body, one row for each. The tests fail for a paid route without a row. */

import {
  GB_PAYMENT_PRODUCT,
  GbPaymentRequest,
  getGbPaymentExample,
  getGbPaymentSchema,
} from "../../schemas/gb/payment.ts"
import {
  GB_VENDOR_CHANGE_PRODUCT,
  GbVendorChangeRequest,
  getGbVendorChangeExample,
  getGbVendorChangeSchema,
} from "../../schemas/gb/vendor-change.ts"
import {
  COMPANY_CHECK_PRODUCT,
  CompanyCheckRequest,
  getCompanyCheckExample,
  getCompanyCheckSchema,
} from "../../schemas/us/company-check.ts"
import { getPaymentDecisionExample, getPaymentDecisionSchema } from "../../schemas/us/operations.ts"
import {
  getPayeeVerificationExample,
  getPayeeVerificationSchema,
  PAYEE_VERIFICATION_PRODUCT,
  PayeeVerificationRequest,
} from "../../schemas/us/payee-verification.ts"
import {
  getPaymentAuthorizationExample,
  getPaymentAuthorizationSchema,
  PAYMENT_AUTHORIZATION_PRODUCT,
  PaymentAuthorizationRequest,
} from "../../schemas/us/payment-authorization.ts"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import {
  getSupplierApprovalExample,
  getSupplierApprovalSchema,
  SUPPLIER_APPROVAL_PRODUCT,
  SupplierApprovalRequest,
} from "../../schemas/us/supplier-approval.ts"
import {
  getVendorChangeExample,
  getVendorChangeSchema,
  VENDOR_CHANGE_PRODUCT,
  VendorChangeRequest,
} from "../../schemas/us/vendor-change.ts"
import {
  getVendorContinuationExample,
  getVendorContinuationSchema,
  VENDOR_CONTINUATION_PRODUCT,
  VendorContinuationRequest,
} from "../../schemas/us/vendor-continuation.ts"
import { heldOnFirstRequest } from "../http/conditional.ts"
import { heldExample, heldSchema, type RequestDocument } from "../http/request-documents.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { PUBLISHED_EXAMPLE } from "../products/common/example-call.ts"
import { gbPaymentExample } from "../products/gb/payment/example.ts"
import { gbVendorChangeExample } from "../products/gb/vendor-change/example.ts"
import { companyCheckExample } from "../products/us/company-check/example.ts"
import { exampleAgent, exampleMandateSigner } from "../products/us/example-signers.ts"
import { payeeVerificationExample } from "../products/us/payee-verification/example.ts"
import { paymentAuthorizationExample } from "../products/us/payment-authorization/example.ts"
import { decisionDraft, signedDecision } from "../products/us/payment-decision/example.ts"
import { supplierApprovalExample } from "../products/us/supplier-approval/example.ts"
import { vendorChangeExample } from "../products/us/vendor-change/example.ts"
import { vendorContinuationExample } from "../products/us/vendor-continuation/example.ts"

/** `baseUrl` is the audience in the signed examples. */
export function requestDocuments(baseUrl: string): readonly RequestDocument[] {
  const call = PUBLISHED_EXAMPLE
  const signers = { agent: exampleAgent, mandate: exampleMandateSigner }
  return [
    {
      product: PAYMENT_DECISION_PRODUCT,
      request: DecisionRequest,
      signed: true,
      operations: { schema: getPaymentDecisionSchema, example: getPaymentDecisionExample },
      example: () => signedDecision(decisionDraft(call, exampleAgent), call.at, signers),
    },
    {
      product: COMPANY_CHECK_PRODUCT,
      request: CompanyCheckRequest,
      signed: false,
      operations: { schema: getCompanyCheckSchema, example: getCompanyCheckExample },
      example: () => companyCheckExample(call),
    },
    {
      product: SUPPLIER_APPROVAL_PRODUCT,
      request: SupplierApprovalRequest,
      signed: false,
      operations: { schema: getSupplierApprovalSchema, example: getSupplierApprovalExample },
      example: () => supplierApprovalExample(call),
    },
    {
      product: PAYEE_VERIFICATION_PRODUCT,
      request: PayeeVerificationRequest,
      signed: false,
      operations: { schema: getPayeeVerificationSchema, example: getPayeeVerificationExample },
      example: () => payeeVerificationExample(call),
    },
    {
      product: PAYMENT_AUTHORIZATION_PRODUCT,
      request: PaymentAuthorizationRequest,
      signed: false,
      operations: { schema: getPaymentAuthorizationSchema, example: getPaymentAuthorizationExample },
      example: () => paymentAuthorizationExample(call),
    },
    {
      product: VENDOR_CHANGE_PRODUCT,
      request: VendorChangeRequest,
      signed: true,
      operations: { schema: getVendorChangeSchema, example: getVendorChangeExample },
      example: () => vendorChangeExample(call, { audience: baseUrl, agent: exampleAgent }),
    },
    {
      product: VENDOR_CONTINUATION_PRODUCT,
      request: VendorContinuationRequest,
      signed: false,
      operations: { schema: getVendorContinuationSchema, example: getVendorContinuationExample },
      example: () => vendorContinuationExample(call),
    },
    {
      product: GB_PAYMENT_PRODUCT,
      request: GbPaymentRequest,
      signed: false,
      operations: { schema: getGbPaymentSchema, example: getGbPaymentExample },
      example: () => gbPaymentExample(call),
    },
    {
      product: GB_VENDOR_CHANGE_PRODUCT,
      request: GbVendorChangeRequest,
      signed: false,
      operations: { schema: getGbVendorChangeSchema, example: getGbVendorChangeExample },
      example: () => gbVendorChangeExample(call),
    },
  ]
}

export function requestDocumentRoutes(shell: Shell): readonly Route[] {
  return requestDocuments(shell.baseUrl()).flatMap((document) => {
    const schema = heldOnFirstRequest(() => heldSchema(document))
    const example = heldOnFirstRequest(() => heldExample(document))
    return [
      serve(shell, document.operations.schema, ({ headers }) => schema(headers)),
      serve(shell, document.operations.example, ({ headers }) => example(headers)),
    ]
  })
}
