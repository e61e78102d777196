import { type Static, Type } from "@sinclair/typebox"
import { AnswerAuthorization, businessAnswer, UsAnswerCoverage } from "../business-answer.ts"
import { BindingEvidence } from "../caller-evidence.ts"
import { closed, DestinationFingerprint } from "../common.ts"
import { paidOperation } from "../paid-operation.ts"
import { EarlierAnswer, WalletHits } from "./invoice-facts.ts"
import { usFactsMembers } from "./operation-facts.ts"
import { usOperationMembers } from "./operation-request.ts"
import { Destination, Invoice } from "./payment-decision.ts"

export const PAYEE_VERIFICATION_PRODUCT = "us.invoice_payee.verify.v1"

export const PayeeVerificationRequest = closed(
  {
    ...usOperationMembers,
    invoice: Invoice,
    payee: Destination,
    payment_destination: Destination,
    /** Evidence about the payee. */
    binding_evidence: BindingEvidence,
  },
  { $id: "PayeeVerificationRequest" },
)
export type PayeeVerificationRequest = Static<typeof PayeeVerificationRequest>

export const PayeeVerificationResult = closed({
  gates: closed({
    company: AnswerAuthorization,
    restricted_party: AnswerAuthorization,
    invoice_payee: AnswerAuthorization,
    binding: AnswerAuthorization,
  }),
  payee_fingerprint: DestinationFingerprint,
})
export type PayeeVerificationResult = Static<typeof PayeeVerificationResult>

export const PayeeVerificationFacts = closed({
  ...usFactsMembers,
  wallet_hits: WalletHits,
  earlier_answers: Type.Array(EarlierAnswer),
})
export type PayeeVerificationFacts = Static<typeof PayeeVerificationFacts>

export const PayeeVerificationAnswer = businessAnswer(
  PAYEE_VERIFICATION_PRODUCT,
  UsAnswerCoverage,
  PayeeVerificationResult,
)

/** The documents that offline verification reads. */
export const payeeVerificationSchemas = {
  request: PayeeVerificationRequest,
  facts: PayeeVerificationFacts,
  answer: PayeeVerificationAnswer,
}

export const verifyPayee = paidOperation({
  id: "us_invoice_payee_verify",
  path: "/v1/us/invoices/verify-payee",
  summary:
    "Verify that an invoice's payee belongs to the US company, and that the invoice was not seen before with other details",
  body: PayeeVerificationRequest,
  answer: PayeeVerificationAnswer,
  price: "0.10",
  product: {
    id: PAYEE_VERIFICATION_PRODUCT,
    solution: "invoice-payee-verification",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
  },
  intent: { name: "VERIFY_US_INVOICE_PAYEE", notFor: ["BANK_ACCOUNT_OWNERSHIP", "PAYMENT_AUTHORITY"] },
})
