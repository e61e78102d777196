import { PRODUCT_IDS } from "../../../schemas/products.ts"
import type { ReviewState } from "../../../schemas/review.ts"
import { WAITING_STATES } from "../../core/review/review-book.ts"
import { CASE_ORDERS, CASE_STATES, placeIn, placeText } from "../../review/case-list.ts"
import { type CaseOrder, type CasePlace, listCases } from "../../store/review/review-cases.ts"
import { reviewNumbers } from "../../store/review/review-numbers.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { queuePage } from "../pages/queue-page.ts"
import { namesOf } from "../reviewer-names.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

const CASES_OF_A_PAGE = 50

export async function showQueue({ deps, me, query, now }: OwnVisit): Promise<DeskReply> {
  const { by, state, product, list } = termsIn(query)
  const { cases, next } = await deps.store.read(() => listCases(list))
  const names = await namesOf(deps)
  const { counts } = await deps.store.read(() => reviewNumbers(now))
  const cursor = next && placeText(next)
  return {
    status: 200,
    page: queuePage({ ...{ me, cases, by, state, product, cursor, names, now }, counts: waitingIn(counts) }),
  }
}

/** Throws DeskRefusal. An empty state or product chooses all that wait. */
function termsIn(query: URLSearchParams) {
  const by = query.get("by") ?? "age"
  const state = query.get("state") ?? ""
  const product = query.get("product") ?? ""
  const order = CASE_ORDERS.get(by)
  const states = state === "" ? WAITING_STATES : CASE_STATES.filter((one) => one === state)
  if (order === undefined || states.length === 0) {
    throw new DeskRefusal(
      400,
      `by is one of ${[...CASE_ORDERS.keys()].join(", ")}, and state one of ${CASE_STATES.join(", ")}.`,
    )
  }
  if (product !== "" && !PRODUCT_IDS.some((id) => id === product)) {
    throw new DeskRefusal(400, `product is one of ${PRODUCT_IDS.join(", ")}.`)
  }
  const after = query.get("after")
  const list = {
    ...{ order, states, product: product === "" ? null : product },
    ...{ after: after === null ? null : requirePlace(after, order), limit: CASES_OF_A_PAGE },
  }
  return { by, state, product, list }
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

function requirePlace(text: string, order: CaseOrder): CasePlace {
  const place = placeIn(text, order)
  if (place === null) throw new DeskRefusal(400, "after is where an earlier page of the queue in the same order ended.")
  return place
}
