import { type Static, Type } from "@sinclair/typebox"
import { AnswerAuthorization, businessAnswer, UsAnswerCoverage } from "../business-answer.ts"
import { EvidenceReference } from "../caller-evidence.ts"
import { Amount, Currency, closed, DateTime, enumeration, PaidAmount, PayeeFingerprint } from "../common.ts"
import { paidOperation } from "../paid-operation.ts"
import { EarlierAnswer } from "./invoice-facts.ts"
import { usFactsMembers } from "./operation-facts.ts"
import { usOperationMembers } from "./operation-request.ts"
import { Invoice } from "./payment-decision.ts"

export const PAYMENT_AUTHORIZATION_PRODUCT = "us.payment.authorize.v1"

export const PaymentAuthorizationRequest = closed(
  {
    ...usOperationMembers,
    payee_fingerprint: PayeeFingerprint,
    amount: PaidAmount,
    currency: Currency,
    invoice: Invoice,
    /** Execution id of a supplier approval that the same wallet bought. Any other text is an approval that is not found. */
    supplier_approval_reference: EvidenceReference,
  },
  { $id: "PaymentAuthorizationRequest" },
)
export type PaymentAuthorizationRequest = Static<typeof PaymentAuthorizationRequest>

export const PaymentAuthorizationResult = closed({
  /** The company's strongest identifier. A redeemer of the token repeats it. */
  supplier_key: Type.String(),
  payee_fingerprint: PayeeFingerprint,
  gates: closed({
    restricted_party: AnswerAuthorization,
    invoice_payee: AnswerAuthorization,
    supplier_approval: AnswerAuthorization,
  }),
  amount: Amount,
  currency: Currency,
  authorization_token: Type.String(),
  single_use: Type.Literal(true),
})
export type PaymentAuthorizationResult = Static<typeof PaymentAuthorizationResult>

/** A supplier approval that the same wallet bought and that allowed it to continue. */
export const ApprovalFact = closed({
  execution_id: Type.String(),
  decision: enumeration("APPROVE", "CONDITIONAL"),
  supplier_key: Type.String(),
  /** Normalised legal name, or the registered name if none was given. */
  name_key: Type.String(),
  decided_at: DateTime,
  valid_until: DateTime,
  /**
   * True if it is about the request's supplier and named one of the anchors that the request names (rulings 89). Absent in facts of v1: the
   * keys decide.
   */
  vouches: Type.Optional(Type.Boolean()),
})
export type ApprovalFact = Static<typeof ApprovalFact>

export const PaymentAuthorizationFacts = closed({
  ...usFactsMembers,
  earlier_answers: Type.Array(EarlierAnswer),
  /** Null if the reference names no approval. */
  supplier_approval: Type.Union([ApprovalFact, Type.Null()]),
})
export type PaymentAuthorizationFacts = Static<typeof PaymentAuthorizationFacts>

export const PaymentAuthorizationAnswer = businessAnswer(
  PAYMENT_AUTHORIZATION_PRODUCT,
  UsAnswerCoverage,
  PaymentAuthorizationResult,
)

/** The documents that offline verification reads. */
export const paymentAuthorizationSchemas = {
  request: PaymentAuthorizationRequest,
  facts: PaymentAuthorizationFacts,
  answer: PaymentAuthorizationAnswer,
}

export const authorizePayment = paidOperation({
  id: "us_payment_authorize",
  path: "/v1/us/payments/authorize",
  summary: "Authorize one payment to an approved US supplier, with a single-use token",
  body: PaymentAuthorizationRequest,
  answer: PaymentAuthorizationAnswer,
  price: "0.20",
  product: {
    id: PAYMENT_AUTHORIZATION_PRODUCT,
    solution: "payment-authorization",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
  },
  intent: { name: "AUTHORIZE_US_PAYMENT", notFor: ["MOVING_MONEY", "ORGANIZATION_MANDATE_CHECK"] },
})
