import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { WAITING_STATES } from "../../core/review/review-book.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { CASE_ORDERS, CASE_STATES, placeIn, placeText } from "../../review/case-list.ts"
import { openNextCases } from "../../review/open-cases.ts"
import { type CaseOrder, type CasePlace, listCases, type ReviewCase } from "../../store/review/review-cases.ts"
import { listWaiting } from "../../store/sales/sold-answers.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { oneOf } from "../one-of.ts"
import { tableLines } from "../rows.ts"
import { caseAsJson } from "./case-json.ts"

const LIMIT = 50
const LISTED_MAX = 1_000

export const command: Command = {
  name: "review list",
  summary: "list the answers that wait for a person: the oldest, the largest, or those nearest to a listed entry first",
  operands: "",
  flags: {
    ...DATA_FLAG,
    by: { help: `order: ${[...CASE_ORDERS.keys()].join(", ")} (default age)`, value: "ORDER" },
    state: {
      help: `only cases in this state: ${CASE_STATES.join(", ")} (default ${WAITING_STATES.join(" and ")})`,
      value: "STATE",
    },
    product: { help: "only cases of this product", value: "ID" },
    after: { help: "go on after the last case of an earlier list: the cursor that it printed", value: "CURSOR" },
    limit: { help: `cases to list, 1 to ${LISTED_MAX} (default ${LIMIT})`, value: "NUMBER" },
    ...JSON_FLAG,
  },
  examples: ["review list --data ./data", "review list --by score --data ./data"],
  async run(input) {
    const order = CASE_ORDERS.get(oneOf(input, "by", [...CASE_ORDERS.keys()]) ?? "age") ?? "AGE"
    const state = oneOf(input, "state", CASE_STATES)
    const terms = {
      ...{ order, states: state === null ? WAITING_STATES : [state], product: oneOf(input, "product", PRODUCT_IDS) },
      ...{ after: cursorOf(input, order), limit: limitOf(input) },
    }
    const { store } = await openData(input)
    // What a running server does within a second.
    await listWaiting(store)
    while (await openNextCases(store));
    const { cases, next } = await store.read(() => listCases(terms))
    await store.close()
    const cursor = next && `${order.toLowerCase()}/${placeText(next)}`
    if (input.on("json")) input.result({ cases: cases.map(caseAsJson), next: cursor }, "")
    else input.out(tableText(cases))
    if (cursor !== null && !input.on("json")) input.err(`more cases follow: --after ${cursor}\n`)
    return EXIT.DONE
  },
}

function cursorOf(input: Input, order: CaseOrder): CasePlace | null {
  const text = input.text("after")
  if (text === undefined) return null
  const start = `${order.toLowerCase()}/`
  const place = text.startsWith(start) ? placeIn(text.slice(start.length), order) : null
  if (place !== null) return place
  throw usage(
    "--after is the cursor that an earlier list of the same order printed, such as age/2026-11-20T08:00:00.000Z/17",
  )
}

function limitOf(input: Input): number {
  const text = input.text("limit") ?? String(LIMIT)
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= LISTED_MAX) return limit
  throw usage(`--limit is a number from 1 to ${LISTED_MAX}`)
}

function tableText(cases: readonly ReviewCase[]): string {
  if (cases.length === 0) return "none\n"
  const rows = cases.map((one) => [
    String(one.caseNumber),
    `${one.openedAt.slice(0, 19)}Z`,
    one.state,
    one.decision,
    one.product,
    one.amount === null ? "-" : `${one.amount} ${one.currency ?? ""}`.trim(),
    one.scorePermille === 0 ? "-" : (one.scorePermille / 1000).toFixed(2),
    plainText(one.supplier),
  ])
  const head = ["CASE", "SINCE", "STATE", "DECISION", "PRODUCT", "AMOUNT", "SCORE", "SUPPLIER"]
  return `${tableLines([head, ...rows]).join("\n")}\n`
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
