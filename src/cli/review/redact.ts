import { CommandError, EXIT } from "../../base/exit.ts"
import { redactNote } from "../../store/review/review-records.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "review redact",
  summary: "remove the text of a note for good; that there was a note, by whom and when, stays",
  operands: "RECORD",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: [{ line: "review redact 42 --data ./data", exit: EXIT.NOT_FOUND }],
  async run(input) {
    const [text = ""] = input.operands
    if (!/^[1-9]\d{0,14}$/.test(text)) {
      throw new CommandError(EXIT.USAGE, "RECORD is the number of a record, as bizauth review show prints it")
    }
    const { store } = await openData(input)
    const outcome = await store.run(() => redactNote(Number(text))).finally(() => store.close())
    if (outcome === "UNKNOWN") throw new CommandError(EXIT.NOT_FOUND, `no record ${text}; see bizauth review show`)
    if (outcome === "NO_NOTE") {
      throw new CommandError(EXIT.INVALID, `record ${text} is no note: a reason is evidence and is never removed`)
    }
    if (outcome === "REDACTED_ALREADY")
      throw new CommandError(EXIT.INVALID, `the text of record ${text} is removed already`)
    input.result({ record: Number(text), redacted: true }, `removed  the text of record ${text}\n`)
    return EXIT.DONE
  },
}
