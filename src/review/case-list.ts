/** How a list of cases is asked for: its orders, its states, and where it goes on. */
import { ReviewState } from "../../schemas/review.ts"
import type { CaseOrder, CasePlace } from "../store/review/review-cases.ts"

export const CASE_ORDERS: Readonly<Record<string, CaseOrder>> = { age: "AGE", amount: "AMOUNT", score: "SCORE" }
export const CASE_STATES = ReviewState.anyOf.map((state) => state.const)

export function placeText({ value, caseNumber }: CasePlace): string {
  return `${value}/${caseNumber}`
}

/** Null for a text that {@link placeText} does not make. */
export function placeIn(text: string): CasePlace | null {
  const [, value = "", number = ""] = /^([0-9TZ:.-]{1,24})\/(\d{1,15})$/.exec(text) ?? []
  return number === "" ? null : { value, caseNumber: Number(number) }
}
