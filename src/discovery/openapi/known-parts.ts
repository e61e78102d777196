/** Parts of many schemas that the document always names, however short they are. */
import { type TSchema, Type } from "@sinclair/typebox"
import { SentJwk } from "../../../schemas/agent-id/jwk.ts"
import { EventKey } from "../../../schemas/agent-id/key-event.ts"
import { CallerId } from "../../../schemas/agent-mode/notation.ts"
import { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import {
  AnswerAction,
  AnswerAuthorization,
  AnswerDecision,
  AnswerPolicy,
  GbCoverage,
  UsAnswerCoverage,
} from "../../../schemas/business-answer.ts"
import {
  AgentId,
  Amount,
  Currency,
  DateTime,
  Digest,
  EvmAddress,
  Identifier,
  KeyId,
  Nonce,
  PaidAmount,
  Signature,
  SignatureObject,
} from "../../../schemas/common.ts"
import { CompanyNumber } from "../../../schemas/gb/company-number.ts"
import { GbPaymentAnswer } from "../../../schemas/gb/payment.ts"
import { GbVendorChangeAnswer } from "../../../schemas/gb/vendor-change.ts"
import { Observation } from "../../../schemas/observation.ts"
import { CompanyCheckAnswer } from "../../../schemas/us/company-check.ts"
import { PayeeVerificationAnswer } from "../../../schemas/us/payee-verification.ts"
import { PaymentAuthorizationAnswer } from "../../../schemas/us/payment-authorization.ts"
import { Destination } from "../../../schemas/us/payment-decision.ts"
import { ProofCapsule, UsCoverage } from "../../../schemas/us/proof-capsule.ts"
import { SupplierApprovalAnswer } from "../../../schemas/us/supplier-approval.ts"
import { VendorChangeAnswer } from "../../../schemas/us/vendor-change.ts"
import { VendorContinuationAnswer } from "../../../schemas/us/vendor-continuation.ts"

export const KNOWN_PARTS: Readonly<Record<string, TSchema>> = {
  AgentId,
  Amount,
  AnswerAction,
  AnswerAuthorization,
  AnswerCapsule,
  AnswerDecision,
  AnswerPolicy,
  CallerId,
  CompanyCheckAnswer,
  CompanyNumber,
  Currency,
  DateTime,
  DateTimeOrNull: Type.Union([DateTime, Type.Null()]),
  Destination,
  Digest,
  DigestOrNull: Type.Union([Digest, Type.Null()]),
  Ed25519Signature: Signature,
  EventKey,
  EvmAddress,
  GbCoverage,
  GbPaymentAnswer,
  GbVendorChangeAnswer,
  Identifier,
  KeyId,
  Nonce,
  Observation,
  PaidAmount,
  PayeeVerificationAnswer,
  PaymentAuthorizationAnswer,
  ProofCapsule,
  SentJwk,
  SignatureObject,
  SupplierApprovalAnswer,
  UsAnswerCoverage,
  UsCoverage,
  VendorChangeAnswer,
  VendorContinuationAnswer,
}
