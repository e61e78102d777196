/** A request for any product: read from a file and recognised by its closed schema. */
import type { TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { guess } from "../core/nearest.ts"
import type { AnswerRequest } from "../products/common/answer-rules.ts"
import { ANSWER_RULES } from "../products/products.ts"
import { answerRequest, decisionRequest, type ProductRequest } from "./request-bytes.ts"

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
