/** What a draft of a request lacks, in the order to gather it: by the schemas of this program, without a service. */
import type { TSchema } from "@sinclair/typebox"
import { PAYMENT_INTENT } from "../../schemas/us/covered.ts"
import { DecisionRequest, PAYMENT_DECISION_PATH, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { supplierOf } from "../agent-mode/planning/input-suppliers.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { type InvalidInput, type WalkedDraft, walkSchema } from "../contact/walk-schema.ts"
import { wordsAt } from "../contact/words-at.ts"
import { guess } from "../core/nearest.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { ANSWER_RULES } from "../products/products.ts"

export interface DraftedProduct {
  readonly id: string
  readonly path: string
  readonly schema: TSchema
}

const PRODUCTS: readonly DraftedProduct[] = [
  { id: PAYMENT_DECISION_PRODUCT, path: PAYMENT_DECISION_PATH, schema: DecisionRequest },
  ...ANSWER_RULES.map(({ id, path, schemas }) => ({ id, path, schema: schemas.request as TSchema })),
]

/** The rounds in which inputs are gathered. Each later one needs the earlier ones. */
export const ROUNDS = {
  CALLER: "what you know about the payment",
  EARLIER_ANSWER: "what an earlier answer gave you",
  DIGEST: "digests and fingerprints of those values",
  BUYER_ORGANIZATION: "the mandate, which the buyer's organization signs for exactly this request",
  AGENT_KEY: "the signature of your key, last",
} as const
export type Round = keyof typeof ROUNDS

interface MissingLine {
  readonly path: string
  readonly round: Round
  /** Allowed values, pattern or bounds, in words. */
  readonly expected: string
}

export interface DraftReport {
  readonly product: string
  readonly status: "INPUT_REQUIRED" | "INPUT_COMPLETE"
  /** In the order to gather them. */
  readonly missing: readonly MissingLine[]
  readonly missing_one_of: readonly string[]
  readonly invalid: readonly InvalidInput[]
  readonly omitted: number
}

/**
 * Returns the product with the id, or without an id the one that knows the most members of the draft and of these the one that lacks the
 * fewest. Throws CommandError (2) for an unknown id, and for a draft that fits several products alike.
 */
export function draftedProduct(draft: JsonValue, id: string | undefined): DraftedProduct {
  const ids = PRODUCTS.map((product) => product.id)
  if (id !== undefined) {
    const found = PRODUCTS.find((product) => product.id === id)
    if (found) return found
    throw new CommandError(EXIT.USAGE, `unknown product ${id}${guess(id, ids) || `; known: ${ids.join(", ")}`}`)
  }
  const best = Math.max(...PRODUCTS.map((product) => fitOf(product, draft)))
  const fitting = PRODUCTS.filter((product) => fitOf(product, draft) === best)
  const [only] = fitting
  if (only && fitting.length === 1) return only
  const names = fitting.map((product) => product.id).join(", ")
  throw new CommandError(EXIT.USAGE, `the draft fits several products; say which with --product: ${names}`)
}

/** A larger weight than the number of members of any request. */
const MEMBER_WEIGHT = 1_000

/** Members of the draft that the request has, less those that it does not have; then the fewest that the draft lacks. */
function fitOf({ schema }: DraftedProduct, draft: JsonValue): number {
  const properties = schema["properties"] as object
  const required = (schema["required"] ?? []) as readonly string[]
  const names = typeof draft === "object" && draft !== null ? Object.keys(draft) : []
  const known = names.reduce((count, name) => count + (Object.hasOwn(properties, name) ? 1 : -1), 0)
  // A draft without a known member says nothing about its product.
  const lacks = known > 0 ? required.filter((name) => !names.includes(name)).length : 0
  return known * MEMBER_WEIGHT - lacks
}

/** A TypeBox schema is JSON Schema. */
function asJson({ schema }: DraftedProduct): Parameters<typeof walkSchema>[0] {
  return schema as TSchema & Parameters<typeof walkSchema>[0]
}

export function walkDraft(product: DraftedProduct, draft: JsonValue): DraftReport {
  return draftReport(product, walkSchema(asJson(product), draft))
}

/** The report of faults that this program or a service found. */
export function draftReport(
  product: DraftedProduct,
  { missing, invalid, omitted, missing_one_of }: WalkedDraft,
): DraftReport {
  const rounds = Object.keys(ROUNDS)
  const lines = missing.map(
    (path): MissingLine => ({ path, round: roundOf(path), expected: wordsAt(asJson(product), path) }),
  )
  return {
    product: product.id,
    status: missing.length + invalid.length + missing_one_of.length > 0 ? "INPUT_REQUIRED" : "INPUT_COMPLETE",
    missing: lines.toSorted((a, b) => rounds.indexOf(a.round) - rounds.indexOf(b.round)),
    missing_one_of,
    invalid: invalid.map(({ path, code, expected }) => ({ path, code, expected })),
    omitted,
  }
}

function roundOf(path: string): Round {
  const supplier = supplierOf(path)
  return supplier === "CALLER" && /_?(digest|fingerprint)$/.test(path) ? "DIGEST" : supplier
}

/** The body of the contact call for a draft. */
export function contactBody({ id }: DraftedProduct, draft: JsonValue): object {
  return { ...(id === PAYMENT_DECISION_PRODUCT && { intent: PAYMENT_INTENT }), draft_request: draft }
}
