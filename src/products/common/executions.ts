/**
 * Returns the stored answer to any caller who knows its execution id. It queries no source, and signs, settles and charges nothing
 * (Interface, "UK paid operations and replay"; rulings 16, 20). The id carries 128 random bits, and no capsule contains it.
 */

import type { Operation } from "../../../schemas/operation.ts"
import { ServiceError } from "../../base/errors.ts"
import { PRIVATE } from "../../delivery/private-headers.ts"
import type { Call, Reply } from "../../http/call.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { hasPaymentHeader } from "../../payments/payment-header.ts"
import type { Store } from "../../store/engine/unit.ts"
import { findKeptAnswer, type KeptAnswer } from "../../store/sales/deliveries.ts"
import { KeptReplies } from "./kept-replies.ts"

interface ExecutionDeps {
  readonly shell: Shell
  readonly store: Store
  /** Ids of the products whose answers these routes return. */
  readonly products: ReadonlySet<string>
}

interface ExecutionOperations {
  readonly answer: Operation
  readonly proof: Operation
}

export function executionRoutes({ shell, store, products }: ExecutionDeps, operations: ExecutionOperations) {
  const kept = new KeptReplies()
  async function stored(call: Call<null>): Promise<KeptAnswer> {
    const id = call.params.executionId ?? ""
    const found = /^exe_[A-Za-z0-9_-]{22}$/.test(id) ? await store.read(() => findKeptAnswer(id)) : null
    if (!found || !products.has(found.product))
      throw new ServiceError("EXECUTION_NOT_FOUND", "No delivered answer has this id.")
    return found
  }
  return [
    serve(
      shell,
      operations.answer,
      async (call): Promise<Reply> => kept.of(call.params.executionId ?? "", await stored(call as Call<null>)),
      { guard: requireNoPayment },
    ),
    serve(
      shell,
      operations.proof,
      async (call): Promise<Reply> => {
        const { capsuleJson } = await stored(call as Call<null>)
        return { status: 200, body: capsuleJson, headers: PRIVATE }
      },
      { guard: requireNoPayment },
    ),
  ]
}

/** This route accepts no payment. A payment header is a mistake, and the caller must not believe that the payment was taken. */
function requireNoPayment(headers: Headers): void {
  if (hasPaymentHeader(headers)) {
    throw new ServiceError(
      "PAYMENT_HEADER_FORBIDDEN",
      "A stored answer is free; repeat the call without the payment header.",
    )
  }
}
