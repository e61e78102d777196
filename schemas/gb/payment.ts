/** UK business payment (Interface, "UK business payment request"). Every member except `vendor_change` is required. */
import { type Static, Type } from "@sinclair/typebox"
import { AnswerAuthorization, businessAnswer, GbCoverage } from "../business-answer.ts"
import { BindingEvidence, PayeeChange } from "../caller-evidence.ts"
import { ChangeFacts } from "../change-facts.ts"
import { Amount, Currency, closed, PaidAmount, PayeeFingerprint } from "../common.ts"
import { USE } from "../hints.ts"
import { paidOperation } from "../paid-operation.ts"
import { text } from "../text.ts"
import { CompanyNumber } from "./company-number.ts"
import { gbFactsMembers } from "./supplier-facts.ts"

export const GB_PAYMENT_PRODUCT = "gb.business.payment.authorize.v1"

export const GbPaymentRequest = closed(
  {
    company_number: CompanyNumber,
    supplier: closed({ company_number: CompanyNumber, policy_id: Type.Literal("GB_BUSINESS_PAYMENT_V1") }),
    invoice: closed({
      company_number: CompanyNumber,
      /** The screening limit. A longer name could be screened only in part, so it is rejected. */
      invoice_company_name: text(1, 350, { [USE]: "PROSE" }),
    }),
    payee: closed({
      company_number: CompanyNumber,
      payee_fingerprint: PayeeFingerprint,
      binding_evidence: BindingEvidence,
    }),
    vendor_change: Type.Optional(PayeeChange),
    amount: PaidAmount,
    currency: Currency,
    idempotency_key: text(8, 120),
  },
  { $id: "GbPaymentRequest" },
)
export type GbPaymentRequest = Static<typeof GbPaymentRequest>

export const GbPaymentResult = closed({
  company_number: Type.String(),
  payee_fingerprint: PayeeFingerprint,
  gates: closed({ supplier: AnswerAuthorization, invoice: AnswerAuthorization, payee: AnswerAuthorization }),
  amount: Amount,
  currency: Currency,
  /** Empty if no token was issued; then a limitation says so. */
  authorization_token: Type.String(),
  single_use: Type.Boolean(),
})
export type GbPaymentResult = Static<typeof GbPaymentResult>

const Score = Type.Number({ minimum: 0, maximum: 1 })

/** Compares the name on the invoice with the names in the register. */
export const InvoiceNameFact = closed({
  /** True for the registered name. Case, punctuation, abbreviations and word order make no difference. */
  agrees: Type.Boolean(),
  score: Score,
  /** The previous name of the company that it agrees with, or null. */
  previous_name: Type.Union([Type.String(), Type.Null()]),
})
export type InvoiceNameFact = Static<typeof InvoiceNameFact>

export const GbPaymentFacts = closed({
  ...gbFactsMembers,
  /** Null if the register has no name to compare with. */
  invoice_name: Type.Union([InvoiceNameFact, Type.Null()]),
  /** Null if the request has no `vendor_change`. */
  change: Type.Union([ChangeFacts, Type.Null()]),
})
export type GbPaymentFacts = Static<typeof GbPaymentFacts>

export const GbPaymentAnswer = businessAnswer(GB_PAYMENT_PRODUCT, GbCoverage, GbPaymentResult)

/** The documents that offline verification reads. */
export const gbPaymentSchemas = {
  request: GbPaymentRequest,
  facts: GbPaymentFacts,
  answer: GbPaymentAnswer,
}

export const authorizeGbPayment = paidOperation({
  id: "gb_business_payment_authorize",
  path: "/v1/gb/payments/authorize",
  summary: "Authorize a business payment to a UK company: supplier, invoice and payee",
  body: GbPaymentRequest,
  answer: GbPaymentAnswer,
  price: "0.15",
  product: {
    id: GB_PAYMENT_PRODUCT,
    solution: null,
    jurisdiction: "GB",
    coverage: "COMPANIES_HOUSE_REGISTERED_ENTITIES",
  },
  intent: { name: "AUTHORIZE_GB_BUSINESS_PAYMENT", notFor: ["MOVING_MONEY", "SOLE_TRADERS", "BANK_ACCOUNT_OWNERSHIP"] },
})
