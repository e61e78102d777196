import { CommandError, EXIT } from "../../base/exit.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { findCase, type ReviewCase } from "../../store/review/review-cases.ts"
import { recordsOfCase, type StoredRecord } from "../../store/review/review-records.ts"
import { listReviewers } from "../../store/review/review-register.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { caseAsJson } from "./case-json.ts"
import { needNumber } from "./case-number.ts"

export const command: Command = {
  name: "review show",
  summary: "show a case that waits for a person, and what reviewers recorded about it",
  operands: "CASE",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: [{ line: "review show 17 --data ./data", exit: EXIT.NOT_FOUND }],
  async run(input) {
    const number = needNumber(input.operands[0] ?? "")
    const { store } = await openData(input)
    const { row, records, names } = await store.read(function* () {
      const reviewers = yield* listReviewers()
      return {
        row: yield* findCase(number),
        records: yield* recordsOfCase(number),
        names: new Map(reviewers.map(({ reviewerId, name }) => [reviewerId, name])),
      }
    })
    await store.close()
    if (!row) throw new CommandError(EXIT.NOT_FOUND, `no case ${number}; bizauth review list shows those that wait`)
    const history = records.map((one) => recordOf(one, names))
    const person = names.get(row.assignee ?? "") ?? null
    input.result({ ...caseAsJson(row), assignee: person, records: history }, textOf(row, person, history))
    return EXIT.DONE
  },
}

type Shown = ReturnType<typeof recordOf>

function recordOf({ sequence, digest, effect, record, reason }: StoredRecord, names: ReadonlyMap<string, string>) {
  const entry = record.hit && `${record.hit.source_id}:${record.hit.entry_id}`
  return {
    record: sequence,
    digest,
    kind: record.kind,
    effect,
    by: names.get(record.reviewer ?? "") ?? null,
    at: record.recorded_at,
    entry,
    until: record.until,
    answers: record.answers,
    text: reason?.text ?? null,
    redacted: record.reason_digest !== null && reason === null,
  }
}

function textOf(row: ReviewCase, assignee: string | null, history: readonly Shown[]): string {
  const amount = row.amount === null ? "" : `  ${row.amount} ${row.currency ?? ""}`.trimEnd()
  const lines = [
    `case ${row.caseNumber}  ${row.state}  since ${row.openedAt}`,
    `${row.permission}  ${row.decision} ${row.code}  ${row.product}${amount}`,
    `supplier  ${plainText(row.supplier)}`,
    `payer     ${row.payer}`,
    ...(row.organizationId === null ? [] : [`buyer     ${row.organizationId}`]),
    ...(assignee === null ? [] : [`assigned  ${plainText(assignee)}`]),
    ...history.map((one) => {
      const words = one.redacted ? "(removed)" : (one.text ?? "")
      const about = [one.entry, one.until && `until ${one.until}`].filter((part) => part !== null).join(" ")
      return [
        `${one.record}`,
        one.at,
        one.kind,
        one.effect,
        plainText(one.by ?? "the operator"),
        about,
        plainText(words),
      ]
        .filter((part) => part !== "")
        .join("  ")
    }),
  ]
  return `${lines.join("\n")}\n`
}
