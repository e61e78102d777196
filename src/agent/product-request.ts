/**
 * A request for any product: read from a file, recognised by its closed schema, and converted to the exact bytes and headers
 * to send.
 */
import type { TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { DecisionRequest, PAYMENT_DECISION_PATH, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { requestDigest } from "../checks/policy/digests.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { type Digest, digestBytes } from "../core/digest.ts"
import { guess } from "../core/nearest.ts"
import type { AnswerRequest, AnyBusinessAnswerRules } from "../products/common/answer-rules.ts"
import { ANSWER_RULES } from "../products/products.ts"

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
  readonly rules: AnyBusinessAnswerRules | null
}

interface Bought {
  readonly id: string
  readonly schema: TSchema
  /** `request` was accepted by the schema. */
  readonly asSent: (request: never) => ProductRequest
  /** Hint on where to get a body, for an error when the schema rejects it. */
  readonly hint: string
}

const PRODUCTS: readonly Bought[] = [
  {
    id: PAYMENT_DECISION_PRODUCT,
    schema: DecisionRequest,
    asSent: decisionRequest,
    hint: " (bizauth agent sign-request makes one)",
  },
  ...ANSWER_RULES.map((rules) => ({
    id: rules.id,
    schema: rules.schemas.request,
    asSent: (request: AnswerRequest) => answerRequest(rules, request),
    hint: "",
  })),
]

/** Throws CommandError (2) for an unknown product, and for anything but a complete request of exactly one product. */
export function recognisedRequest(value: unknown, product: string | undefined): ProductRequest {
  const known = product === undefined ? productOf(value) : knownProduct(product)
  if (Value.Check(known.schema, value)) return known.asSent(value as never)
  throw new CommandError(EXIT.USAGE, `not a request for ${known.id}${known.hint}: ${firstFault(known, value)}`)
}

function knownProduct(product: string): Bought {
  const known = PRODUCTS.find(({ id }) => id === product)
  if (known) return known
  const ids = PRODUCTS.map(({ id }) => id)
  throw new CommandError(EXIT.USAGE, `unknown product ${product}${guess(product, ids) || `; known: ${ids.join(", ")}`}`)
}

/** Returns the product whose closed schema accepts the body; if none does, the product with the fewest schema errors. */
function productOf(value: unknown): Bought {
  const accepting = PRODUCTS.filter(({ schema }) => Value.Check(schema, value))
  const [only] = accepting
  if (only && accepting.length === 1) return only
  if (only) {
    const ids = accepting.map(({ id }) => id).join(" or ")
    throw new CommandError(EXIT.USAGE, `the file could be a request for ${ids}; say which with --product ID`)
  }
  const faults = (product: Bought) => [...Value.Errors(product.schema, value)].length
  return PRODUCTS.reduce((best, other) => (faults(other) < faults(best) ? other : best))
}

function firstFault({ schema }: Bought, value: unknown): string {
  const fault = Value.Errors(schema, value).First()
  return `${fault?.path} ${fault?.message}`
}

function decisionRequest(request: DecisionRequest): ProductRequest {
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

function answerRequest(rules: AnyBusinessAnswerRules, request: AnswerRequest): ProductRequest {
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
function ukHeaders({ idempotency_key: key }: AnswerRequest, bodyDigest: Digest): Record<string, string> {
  const headers = {
    "idempotency-key": Buffer.from(key, "utf8").toString("latin1"),
    "x-cdo-request-body-digest": bodyDigest,
  }
  if (isHeaderText(headers["idempotency-key"])) return headers
  throw new CommandError(EXIT.USAGE, "the idempotency_key has characters that no header can carry")
}

/** Rejects control characters, and white space at either end, which a header would lose. */
function isHeaderText(text: string): boolean {
  return [...text].every((character) => character >= " " && character !== "\u007f") && text.trim() === text
}
