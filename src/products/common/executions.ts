/**
 * Returns the stored answer to any caller who knows its execution id. It queries no source, and signs, settles and charges nothing
 * (Interface, "UK paid operations and replay"; rulings 16, 20). The id carries 128 random bits, and no capsule contains it.
 */

import type { AnswerReviewResponse } from "../../../schemas/answer-review.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { ServiceError } from "../../base/errors.ts"
import { formatInstant } from "../../core/time.ts"
import { PRIVATE } from "../../delivery/private-headers.ts"
import type { Call, Reply } from "../../http/call.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { hasPaymentHeader } from "../../payments/payment-header.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { findAcquired } from "../../store/sales/acquired.ts"
import { findKeptAnswer, type KeptAnswer } from "../../store/sales/deliveries.ts"
import { KeptReplies } from "./kept-replies.ts"
import type { ReviewOf } from "./review-of.ts"

interface ExecutionDeps {
  readonly shell: Shell
  readonly store: Store
  /** Ids of the products whose answers these routes return. */
  readonly products: ReadonlySet<string>
  readonly reviewOf: ReviewOf
}

interface ExecutionOperations {
  readonly answer: Operation
  readonly proof: Operation
  readonly review: Operation
}

export function executionRoutes({ shell, store, products, reviewOf }: ExecutionDeps, operations: ExecutionOperations) {
  const kept = new KeptReplies()
  async function stored(call: Call<null>): Promise<KeptAnswer> {
    return sold(call, findKeptAnswer)
  }
  /** Reads what is stored of the answer that the call names. */
  async function sold<Found extends { readonly product: string }>(
    call: Call<null>,
    find: (id: string) => Unit<Found | null>,
  ): Promise<Found> {
    const id = call.params.executionId ?? ""
    const found = /^exe_[A-Za-z0-9_-]{22}$/.test(id) ? await store.read(() => find(id)) : null
    if (!found || !products.has(found.product))
      throw new ServiceError("EXECUTION_NOT_FOUND", "No delivered answer has this id.")
    return found
  }
  async function review(call: Call<null>): Promise<Reply> {
    const state = reviewOf(await sold(call, findAcquired), call.at)
    if (state === null)
      throw new ServiceError("REVIEW_NOT_FOUND", "No hit of this answer waits for a person, and none was cleared.")
    const body: AnswerReviewResponse = {
      schema_version: "1.0.0",
      execution_id: call.params.executionId ?? "",
      ...state,
      charged: false,
      limitations: ["REVIEW_IS_NOT_A_DECISION", "DELIVERED_ANSWER_IS_FINAL", "STATE_MAY_CHANGE"],
      valid_as_of: formatInstant(call.at),
    }
    return { status: 200, body, headers: PRIVATE }
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
    serve(shell, operations.review, (call) => review(call as Call<null>), { guard: requireNoPayment }),
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
