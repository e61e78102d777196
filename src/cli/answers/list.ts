import { CommandError, EXIT } from "../../base/exit.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { listWaiting } from "../../store/sales/sold-answers.ts"
import { isFilling } from "../../store/sales/sold-fill.ts"
import { type FoundAnswers, findSold, type ListedAnswer, LOOKED_AT_MAX } from "../../store/sales/sold-pages.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { csvLine } from "../csv-line.ts"
import { openData } from "../inputs.ts"
import { tableLines } from "../rows.ts"
import { cursorText, FILTER_FLAGS, readFilter, readRange } from "./filters.ts"

export const command: Command = {
  name: "answers list",
  summary: "list what was sold, the newest first: when, which product and decision, about whom, and who paid",
  operands: "",
  flags: {
    ...DATA_FLAG,
    ...FILTER_FLAGS,
    ids: { help: "print ids in full; an execution id lets its holder read the answer" },
    csv: { help: "print CSV with a header line" },
    ...JSON_FLAG,
  },
  examples: ["answers list --data ./data", 'answers list --supplier "Harbor Light Instruments LLC" --data ./data'],
  async run(input) {
    if (input.on("csv") && input.on("json")) throw new CommandError(EXIT.USAGE, "give --csv or --json, not both")
    const [filter, range] = [readFilter(input), readRange(input)]
    const { store } = await openData(input)
    await listWaiting(store)
    const isComplete = !(await store.read(isFilling))
    const found = await findSold(store, filter, range)
    await store.close()
    const shown = input.on("ids") ? found.answers : found.answers.map(withShortIds)
    const next = found.next && cursorText(found.next)
    if (input.on("json")) input.result({ answers: shown.map(asJson), next, complete: isComplete }, "")
    else {
      input.out(input.on("csv") ? csvText(shown) : tableText(shown, input.on("ids")))
      printNotes(input, found, isComplete)
    }
    return EXIT.DONE
  },
}

function printNotes(input: Input, { answers, next, isCut }: FoundAnswers, isComplete: boolean): void {
  if (!isComplete) {
    input.err("note: answers of earlier releases are missing here until a running server has added all of them\n")
  }
  if (next === null) return
  const why = isCut
    ? `${LOOKED_AT_MAX} answers were compared, and ${answers.length} are listed`
    : "older answers follow"
  input.err(`${why}: --after ${cursorText(next)}\n`)
}

function withShortIds(answer: ListedAnswer): ListedAnswer {
  const { requestId, answerId, deliveryReference } = answer
  return {
    ...answer,
    requestId: shortened(requestId),
    answerId: shortened(answerId),
    deliveryReference: shortened(deliveryReference),
  }
}

/** Characters of an id after its prefix that a list shows: they tell answers apart, and give no right. */
const SHOWN = 6

function shortened(id: string): string {
  const end = id.indexOf("_") + 1 + SHOWN
  return id.length > end ? `${id.slice(0, end)}…` : id
}

function asJson(answer: ListedAnswer) {
  return {
    sold_at: answer.soldAt,
    product: answer.product,
    decision: answer.decision,
    supplier: answer.supplier,
    payer: answer.payer,
    transaction: answer.tx,
    answer_id: answer.answerId,
    delivery_reference: answer.deliveryReference,
    request_id: answer.requestId,
  }
}

function csvText(answers: readonly ListedAnswer[]): string {
  const header = [
    "sold_at",
    "product",
    "decision",
    "supplier",
    "payer",
    "transaction",
    "answer_id",
    "delivery_reference",
    "request_id",
  ] as const satisfies readonly (keyof ReturnType<typeof asJson>)[]
  const lines = answers.map(asJson).map((answer) => csvLine(header.map((name) => answer[name])))
  return [csvLine(header), ...lines].join("")
}

/** `isFull`: wallets and transactions are not shortened either. */
function tableText(answers: readonly ListedAnswer[], isFull: boolean): string {
  if (answers.length === 0) return "none\n"
  const hash = (text: string) => (isFull || text.length <= 12 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`)
  const rows = answers.map(({ soldAt, decision, product, payer, tx, answerId, supplier }) => [
    `${soldAt.slice(0, 19)}Z`,
    decision,
    product,
    hash(payer),
    hash(tx),
    answerId,
    plainText(supplier),
  ])
  return `${tableLines([["TIME", "DECISION", "PRODUCT", "PAYER", "TRANSACTION", "ANSWER", "SUPPLIER"], ...rows]).join("\n")}\n`
}
