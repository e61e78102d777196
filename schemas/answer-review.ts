/** Whether a person still has to look at a held answer. It never says who looked, why, or what that person found. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration } from "./common.ts"

/** OPEN: a hit of the answer waits for a person. DECIDED: a judgement of each of them is in force, and nothing else on the lists holds the company. */
const State = enumeration("OPEN", "DECIDED")

/** A held answer is final, so a review changes only the next one, which is bought anew. */
const NextAction = enumeration("WAIT_FOR_REVIEW", "ASK_AGAIN_WITH_NEW_IDEMPOTENCY_KEY")

const stateMembers = {
  state: State,
  /** OPEN: when the answer was delivered. DECIDED: when the last judgement was recorded. */
  since: DateTime,
  next_machine_action: NextAction,
}

export const ReviewState = closed(stateMembers)
export type ReviewState = Static<typeof ReviewState>

export const AnswerReviewResponse = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    execution_id: Type.String(),
    ...stateMembers,
    charged: Type.Literal(false),
    limitations: Type.Array(Type.String()),
    valid_as_of: DateTime,
  },
  { $id: "AnswerReviewResponse" },
)
export type AnswerReviewResponse = Static<typeof AnswerReviewResponse>
