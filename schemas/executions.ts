import { AnswerCapsule } from "./answer-capsule.ts"
import { operation } from "./operation.ts"
import { problem } from "./problem.ts"

/** Stored answers by execution id, for one country. */
function executionOperations<const C extends "gb" | "us">(country: C) {
  const path = `/v1/${country}/executions/{executionId}`
  const refusals = {
    400: problem("A payment header is not allowed here"),
    404: problem("No delivered answer has this id"),
    429: problem("Too many requests from this address"),
  }
  const shared = {
    authentication: "EXECUTION_ID",
    lifecycle: "ACTIVE",
    price: null,
    method: "GET",
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
      responses: { 200: { description: "The stored answer with `replayed` true" }, ...refusals },
      intent: { name: "READ_DELIVERED_ANSWER", notFor: ["NEW_DECISION", "TOKEN_RECOVERY"] },
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

export const { answer: getUsExecution, proof: getUsExecutionProof } = executionOperations("us")
export const { answer: getGbExecution, proof: getGbExecutionProof } = executionOperations("gb")
