import type { ReviewState } from "../../../schemas/review.ts"

export const STATE_WORDS: Readonly<Record<ReviewState, string>> = {
  OPEN: "open",
  PROPOSED: "needs another person",
  DECIDED: "decided",
  CLOSED: "closed",
}

/** What the answer of a case permits. */
export const PERMISSION_WORDS: Readonly<Record<string, string>> = {
  PAY: "pay",
  PAY_IF: "pay only if",
  HOLD: "hold",
  STOP: "stop",
  NO_ANSWER: "no answer",
}
