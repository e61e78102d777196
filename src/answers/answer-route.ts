/** The one route of a product: closed body in, quote or answer out. */
import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../schemas/operation.ts"
import type { Call } from "../http/call.ts"
import { type Shell, serve } from "../http/serve.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import { type SellAnswerDeps, type SoldAnswer, sellAnswer } from "./sell-answer.ts"

export interface AnswerRouteDeps extends SellAnswerDeps {
  readonly shell: Shell
}

export interface AnswerSlice extends SoldAnswer {
  readonly operation: Operation<TSchema>
  /** Throws ServiceError for headers that do not fit the body. */
  readonly requireHeaders?: (call: Call<AnswerRequest>) => void
}

export function answerRoute(deps: AnswerRouteDeps, slice: AnswerSlice) {
  return serve(deps.shell, slice.operation, (call) => {
    // What the closed schema of the operation accepted.
    const asked = call as Call<AnswerRequest>
    slice.requireHeaders?.(asked)
    return sellAnswer(deps, slice, asked)
  })
}
