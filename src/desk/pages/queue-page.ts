/** The cases that wait, as a table that goes on by a link. */
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { ReviewState } from "../../../schemas/review.ts"
import { isRecused } from "../../core/review/register.ts"
import { instant } from "../../core/time.ts"
import { dataTable } from "../../pages/data-table.ts"
import { durationWords } from "../../pages/duration-words.ts"
import { type Html, html } from "../../pages/html.ts"
import type { ReviewCase } from "../../store/review/review-cases.ts"
import { nameOf } from "../parts.ts"
import { nameIn, type ReviewerNames } from "../reviewer-names.ts"
import type { DeskPage, Reviewing } from "../visit.ts"
import { PERMISSION_WORDS, STATE_WORDS } from "./state-words.ts"

interface QueueTerms {
  readonly me: Reviewing
  readonly cases: readonly ReviewCase[]
  readonly by: string
  /** Empty: those that nobody has decided. */
  readonly state: string
  /** Empty: all. */
  readonly product: string
  /** Cases in each state that waits. */
  readonly counts: readonly (readonly [state: ReviewState, cases: number])[]
  /** Where the next page goes on; null at the end. */
  readonly cursor: string | null
  readonly names: ReviewerNames
  /** Milliseconds. */
  readonly now: number
}

const ORDERS = [
  ["age", "oldest first"],
  ["amount", "largest amount first"],
  ["score", "nearest to a listed entry first"],
] as const

export function queuePage({ me, cases, counts, by, state, product, cursor, names, now }: QueueTerms): DeskPage {
  const next = new URLSearchParams({ by, state, product, after: cursor ?? "" })
  return {
    title: "Queue",
    section: "/",
    main: html`<h1>Answers that wait for a person</h1>
<p>${counts.map(([one, number]) => `${number} ${STATE_WORDS[one]}`).join(", ")}.</p>
<form method="get" action="/">
<p><label for="by">Order</label>
<select id="by" name="by">${ORDERS.map(([value, words]) => option(value, words, by))}</select></p>
<p><label for="state">State</label>
<select id="state" name="state">${option("", "not decided", state)}${ReviewState.anyOf.map((one) => option(one.const, STATE_WORDS[one.const], state))}</select></p>
<p><label for="product">Product</label>
<select id="product" name="product">${option("", "all products", product)}${PRODUCT_IDS.map((id) => option(id, id, product))}</select></p>
<p><button type="submit">Show</button></p>
</form>
${
  cases.length === 0
    ? html`<p>No case is in this list.</p>`
    : dataTable(
        "Cases",
        ["Case", "State", "Answer", "Supplier", "Amount", "Score", "Waiting", "Assigned to"],
        cases.map((one) => row(one, { me, names, now })),
      )
}
${cursor === null ? html`` : html`<p><a href="/?${next.toString()}">More cases</a></p>`}`,
  }
}

function option(value: string, words: string, chosen: string): Html {
  const selected = value === chosen ? html` selected` : html``
  return html`<option value="${value}"${selected}>${words}</option>`
}

function row(one: ReviewCase, { me, names, now }: Pick<QueueTerms, "me" | "names" | "now">): readonly Html[] {
  const { payer, organizationId: organization_id } = one
  return [
    html`<a href="/cases/${String(one.caseNumber)}">${String(one.caseNumber)}</a>`,
    html`${STATE_WORDS[one.state]}${isRecused(me.register, me.reviewerId, { payer, organization_id }) ? html`, you are recused` : html``}`,
    html`${PERMISSION_WORDS[one.permission] ?? one.permission}`,
    nameOf(one.supplier),
    html`${one.amount === null ? "none" : `${one.amount} ${one.currency ?? ""}`.trim()}`,
    html`${one.scorePermille === 0 ? "none" : (one.scorePermille / 1000).toFixed(2)}`,
    html`<time datetime="${one.openedAt}" title="${one.openedAt}">${durationWords(Math.max(0, now - instant(one.openedAt)))}</time>`,
    one.assignee === null ? html`nobody` : nameOf(nameIn(names, one.assignee)),
  ]
}
