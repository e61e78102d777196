import type { TSchema } from "@sinclair/typebox"
import { type Intent, operation, type SoldProduct } from "./operation.ts"
import { unpaidReplies } from "./payment-replies.ts"
import { problem } from "./problem.ts"

/** The operation of one of the products that sell an answer. They differ only in path, body, answer and price. */
export function paidOperation<const Body extends TSchema, const Product extends SoldProduct>(row: {
  readonly id: string
  readonly path: string
  readonly summary: string
  readonly body: Body
  readonly answer: TSchema
  /** Decimal USDC. */
  readonly price: string
  readonly product: Product
  readonly intent: Intent
}) {
  const price = { amount: row.price, asset: "USDC" } as const
  const paid = operation({
    id: row.id,
    method: "POST",
    path: row.path,
    summary: row.summary,
    body: row.body,
    responses: {
      200: {
        description: "Signed answer, charged once; or RETRY or NO_DECISION, uncharged",
        schema: row.answer,
      },
      ...unpaidReplies,
      400: problem("Body or a header cannot be read, or does not fit the body"),
      403: problem("No payment is taken from this wallet, or the request's signer is not accepted"),
      409: problem("The key belongs to another body, or another request holds what this one needs"),
      422: problem("Body does not match the closed schema, or one of its values is not accepted"),
      503: problem("The chain or the store is unavailable; nothing was charged"),
    },
    authentication: "X402",
    lifecycle: "ACTIVE",
    price,
    product: row.product,
    intent: row.intent,
    cors: "NONE",
    bankData: "REFUSED",
    rateLimit: { group: "quotes", perMinute: 60 },
    ...(row.product.jurisdiction === "GB" && { queriesSources: true }),
  })
  return { ...paid, price, product: row.product }
}
