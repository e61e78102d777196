/** The two routes of a product: the paid route (closed body in, quote or answer out) and the free eligibility route. */

import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../../schemas/operation.ts"
import type { DeliveryDeps } from "../../delivery/deps.ts"
import type { Call } from "../../http/call.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import { eligibilityOf } from "./eligibility.ts"
import { quoteChecks } from "./quote-checks.ts"
import { type SoldAnswer, sellAnswer } from "./sell-product.ts"

export interface AnswerRouteDeps {
  readonly shell: Shell
  readonly delivery: DeliveryDeps
  /** True if the service accepts no payment from this wallet (rulings 42). */
  readonly isRestrictedWallet: (address: string) => boolean
}

export interface AnswerSlice extends SoldAnswer {
  readonly operation: Operation<TSchema>
  /** The free check of the conditions for a quote. */
  readonly eligibility: Operation<TSchema>
  /** Throws ServiceError if headers do not match the body. */
  readonly requireHeaders?: (call: Call<AnswerRequest>) => void
}

export function answerRoute({ shell, delivery, isRestrictedWallet }: AnswerRouteDeps, slice: AnswerSlice) {
  const checks = quoteChecks(slice.product, isRestrictedWallet)
  const lines = eligibilityOf(delivery.store, slice.product, checks)
  return [
    serve(shell, slice.operation, (call) => {
      // The closed schema of the operation has accepted the body.
      const request = call as Call<AnswerRequest>
      // CHOICE: a tool call has no headers. Its argument `idempotency_key` is the key, and no digest of raw bytes is compared.
      if (call.bodyDigest !== null) slice.requireHeaders?.(request)
      return sellAnswer({ shell, delivery }, slice, checks, request)
    }),
    serve(shell, slice.eligibility, (call) => lines(call as Call<Partial<AnswerRequest>>)),
  ]
}
