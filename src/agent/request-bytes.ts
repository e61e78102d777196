/** The exact bytes and headers of a request for any product. */
import type { TSchema } from "@sinclair/typebox"
import {
  type DecisionRequest,
  PAYMENT_DECISION_PATH,
  PAYMENT_DECISION_PRODUCT,
} from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { requestDigest } from "../checks/policy/digests.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { type Digest, digestBytes } from "../core/digest.ts"

/** What a caller knows of the answer of a product other than the Payment Decision. */
export interface AnswerForm {
  readonly schemas: { readonly answer: TSchema }
}

/** What a caller knows of such a product. */
interface AnswerProduct extends AnswerForm {
  readonly id: string
  readonly path: string
  readonly country: "US" | "GB"
}

/** Every request of such a product has a key. */
interface KeyedRequest {
  readonly idempotency_key: string
}

export interface ProductRequest {
  readonly product: string
  readonly path: string
  /** The exact text to send. */
  readonly text: string
  /** Headers that the product's route requires in addition to the body. */
  readonly headers: Readonly<Record<string, string>>
  /** Identifies the request in the quote and in the delivery. */
  readonly requestDigest: Digest
  readonly bodyDigest: Digest
  /** The wallet that the request binds its fee to; null if any wallet may pay. */
  readonly payer: string | null
  /** The maximum fee of the request's mandate, in millionths; null without a mandate. */
  readonly feeMax: bigint | null
  /** Null for the Payment Decision. */
  readonly rules: AnswerForm | null
}

export function decisionRequest(request: DecisionRequest): ProductRequest {
  const text = canonicalize(request)
  return {
    product: PAYMENT_DECISION_PRODUCT,
    path: PAYMENT_DECISION_PATH,
    text,
    headers: {},
    requestDigest: requestDigest(request),
    bodyDigest: digestBytes(text),
    payer: request.decision_fee_payer,
    feeMax: BigInt(request.buyer_mandate.payload.max_decision_fee_atomic),
    rules: null,
  }
}

export function answerRequest(rules: AnswerProduct, request: KeyedRequest): ProductRequest {
  const text = canonicalize(request)
  const digest = digestBytes(text)
  return {
    product: rules.id,
    path: rules.path,
    text,
    headers: rules.country === "GB" ? ukHeaders(request, digest) : {},
    requestDigest: digest,
    bodyDigest: digest,
    payer: null,
    feeMax: null,
    rules,
  }
}

/** Interface, "UK request headers": the body's key as UTF-8 bytes, and the digest of the exact bytes to send. */
function ukHeaders({ idempotency_key: key }: KeyedRequest, bodyDigest: Digest): Record<string, string> {
  const headers = {
    "idempotency-key": String.fromCharCode(...new TextEncoder().encode(key)),
    "x-cdo-request-body-digest": bodyDigest,
  }
  if (isHeaderText(headers["idempotency-key"])) return headers
  throw new CommandError(EXIT.USAGE, "the idempotency_key has characters that no header can carry")
}

/** Rejects control characters, and white space at either end, which a header would lose. */
function isHeaderText(text: string): boolean {
  return [...text].every((character) => character >= " " && character !== "\u007f") && text.trim() === text
}
