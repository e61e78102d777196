import type { ReviewState } from "../../../schemas/answer-review.ts"
import type { Acquired } from "../../store/sales/acquired.ts"

/** What a person still has to do about a delivered answer. Null if it has no hit that a person can clear. `at` in milliseconds. */
export type ReviewOf = (
  answer: Pick<Acquired, "product" | "requestJson" | "factsJson" | "deliveredAt">,
  at: number,
) => ReviewState | null
