/** The routes of a product: the paid route (closed body in, quote or answer out), the free eligibility route, and recovery if it has one. */

import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../../schemas/operation.ts"
import type { DeliveryDeps } from "../../delivery/deps.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import { eligibilityOf } from "./eligibility.ts"
import { quoteChecks } from "./quote-checks.ts"
import type { ReviewOf } from "./review-of.ts"
import { type SoldProduct, sellProduct } from "./sell-product.ts"

export interface ProductRouteDeps {
  readonly shell: Shell
  readonly delivery: DeliveryDeps
  /** True if the service accepts no payment from this wallet (rulings 42). */
  readonly isRestrictedWallet: (address: string) => boolean
  readonly reviewOf: ReviewOf
}

export interface ProductSlice extends SoldProduct {
  readonly operation: Operation<TSchema>
  /** The free check of the conditions for a quote. */
  readonly eligibility: Operation<TSchema>
  /** Throws ServiceError if headers do not match the body. */
  readonly requireHeaders?: (call: Call<AnswerRequest>) => void
  /** The route that returns an acquired answer to its owner. Absent if the payment or the execution id returns it. */
  readonly recovery?: Recovery
}

interface Recovery {
  readonly operation: Operation<TSchema>
  /** Throws ServiceError, before the body is read. */
  readonly guard: (headers: Headers) => void
  /** The closed schema of the operation has accepted the body. */
  readonly recover: (delivery: DeliveryDeps, call: Call<never>) => Promise<Reply>
}

export function productRoutes(
  { shell, delivery, isRestrictedWallet, reviewOf }: ProductRouteDeps,
  slice: ProductSlice,
): readonly Route[] {
  const { operation, eligibility, product, recovery } = slice
  const checks = quoteChecks(product, isRestrictedWallet)
  const lines = eligibilityOf({ store: delivery.store, reviewOf }, product, checks)
  return [
    serve(shell, operation, (call) => {
      // The closed schema of the operation has accepted the body.
      const request = call as Call<AnswerRequest>
      // CHOICE: a tool call has no headers. Its argument `idempotency_key` is the key, and no digest of raw bytes is compared.
      if (slice.requireHeaders && call.bodyDigest !== null) slice.requireHeaders(request)
      return sellProduct({ shell, delivery }, slice, checks, request)
    }),
    ...(recovery
      ? [
          serve(shell, recovery.operation, (call) => recovery.recover(delivery, call as Call<never>), {
            guard: recovery.guard,
          }),
        ]
      : []),
    serve(shell, eligibility, (call) => lines(call as Call<Partial<AnswerRequest>>)),
  ]
}
