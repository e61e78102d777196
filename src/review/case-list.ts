/** How a list of cases is asked for: its orders, its states, and where it goes on. */
import { ReviewState } from "../../schemas/review.ts"
import type { CaseOrder, CasePlace } from "../store/review/review-cases.ts"

export const CASE_ORDERS: ReadonlyMap<string, CaseOrder> = new Map([
  ["age", "AGE"],
  ["amount", "AMOUNT"],
  ["score", "SCORE"],
])
export const CASE_STATES = ReviewState.anyOf.map((state) => state.const)

export function placeText({ value, caseNumber }: CasePlace): string {
  return `${value}/${caseNumber}`
}

/** The value by which a case has its place: its time, the millionths of its amount, or its score. */
const VALUES: Readonly<Record<CaseOrder, RegExp>> = {
  AGE: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  AMOUNT: /^\d{24}$/,
  SCORE: /^\d{1,4}$/,
}

/** Null for a text that {@link placeText} does not make of a list in this order. */
export function placeIn(text: string, order: CaseOrder): CasePlace | null {
  const [, value = "", number = ""] = /^([^/]+)\/(\d{1,15})$/.exec(text) ?? []
  return VALUES[order].test(value) ? { value, caseNumber: Number(number) } : null
}
