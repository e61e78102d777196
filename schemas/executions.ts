import { type TSchema, Type } from "@sinclair/typebox"
import { AnswerCapsule } from "./answer-capsule.ts"
import { AnswerReviewResponse } from "./answer-review.ts"
import { operation } from "./operation.ts"
import { problem } from "./problem.ts"
import { GB_ANSWERS, US_ANSWERS } from "./products.ts"

/** Stored answers by execution id, for one country. `answers`: the answers of its products. */
function executionOperations<const C extends "gb" | "us">(country: C, answers: readonly TSchema[]) {
  const path = `/v1/${country}/executions/{executionId}`
  const refusals = {
    400: problem("A payment header is not allowed here"),
    404: problem("No delivered answer has this id"),
  }
  const shared = {
    authentication: "EXECUTION_ID",
    lifecycle: "ACTIVE",
    price: null,
    method: "GET",
    parameters: { executionId: Type.String({ pattern: "^exe_[A-Za-z0-9_-]{22}$" }) },
    body: undefined,
    cors: "NONE",
    rateLimit: { group: "executions", perMinute: 60 },
  } as const
  return {
    answer: operation({
      ...shared,
      id: `get_${country}_execution`,
      path,
      summary:
        "Return a delivered answer again, without its token; no source is queried, and nothing is signed, settled or charged",
      responses: {
        200: { description: "The stored answer with `replayed` true", schema: Type.Union([...answers]) },
        ...refusals,
      },
      intent: { name: "READ_DELIVERED_ANSWER", notFor: ["NEW_DECISION", "TOKEN_RECOVERY"] },
    }),
    // CHOICE: the interface does not say how a buyer learns that a person looked at a held answer. Whoever may read the answer may ask.
    review: operation({
      ...shared,
      id: `get_${country}_execution_review`,
      path: `${path}/review`,
      summary: "Whether the hits of a held answer still wait for a person; never who looks, why, or what was found",
      responses: {
        200: { description: "OPEN or DECIDED, and what to do next", schema: AnswerReviewResponse },
        400: refusals[400],
        404: problem("No delivered answer has this id, or it has no hit that a person can clear"),
      },
      intent: { name: "READ_REVIEW_STATE", notFor: ["NEW_DECISION", "REVIEW_RESULT"] },
    }),
    proof: operation({
      ...shared,
      id: `get_${country}_execution_proof`,
      path: `${path}/proof`,
      summary: "The signed capsule of a delivered answer",
      responses: { 200: { description: "The capsule, byte for byte", schema: AnswerCapsule }, ...refusals },
      intent: { name: "READ_PROOF_CAPSULE", notFor: ["NEW_DECISION"] },
    }),
  }
}

const us = executionOperations("us", US_ANSWERS)
const gb = executionOperations("gb", GB_ANSWERS)

export const { answer: getUsExecution, proof: getUsExecutionProof, review: getUsExecutionReview } = us
export const { answer: getGbExecution, proof: getGbExecutionProof, review: getGbExecutionReview } = gb
