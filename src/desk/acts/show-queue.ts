import { ReviewState } from "../../../schemas/review.ts"
import { WAITING_STATES } from "../../core/review/review-book.ts"
import { type CaseOrder, type CasePlace, listCases } from "../../store/review/review-cases.ts"
import { reviewNumbers } from "../../store/review/review-numbers.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { queuePage } from "../pages/queue-page.ts"
import { namesOf } from "../reviewer-names.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

const CASES_OF_A_PAGE = 50
const ORDERS: Readonly<Record<string, CaseOrder>> = { age: "AGE", amount: "AMOUNT", score: "SCORE" }
const STATES = ReviewState.anyOf.map((state) => state.const)

export async function showQueue({ deps, me, query, now }: OwnVisit): Promise<DeskReply> {
  const by = query.get("by") ?? "age"
  const state = query.get("state") ?? ""
  const order = ORDERS[by]
  const states = state === "" ? WAITING_STATES : STATES.filter((one) => one === state)
  if (order === undefined || states.length === 0) {
    throw new DeskRefusal(400, `by is one of ${Object.keys(ORDERS).join(", ")}, and state one of ${STATES.join(", ")}.`)
  }
  const after = query.get("after")
  const terms = { order, states, after: after === null ? null : placeIn(after), limit: CASES_OF_A_PAGE }
  const { cases, next } = await deps.store.read(() => listCases(terms))
  const names = await namesOf(deps)
  const { counts } = await deps.store.read(() => reviewNumbers(now))
  const cursor = next === null ? null : `${next.value}/${next.caseNumber}`
  return {
    status: 200,
    page: queuePage({ ...{ me, cases, by, state, cursor, names, now }, counts: waitingIn(counts) }),
  }
}

/** Cases in each state that waits, over all products. */
function waitingIn(
  counts: readonly { readonly state: ReviewState; readonly cases: number }[],
): readonly (readonly [ReviewState, number])[] {
  return WAITING_STATES.map((state) => [
    state,
    counts.filter((one) => one.state === state).reduce((sum, { cases }) => sum + cases, 0),
  ])
}

function placeIn(text: string): CasePlace {
  const [, value = "", number = ""] = /^([0-9TZ:.-]{1,24})\/(\d{1,15})$/.exec(text) ?? []
  if (number === "") throw new DeskRefusal(400, "after is where an earlier page of the queue ended.")
  return { value, caseNumber: Number(number) }
}
