import { formatInstant } from "../../core/time.ts"
import { CommandError, EXIT } from "../../exit.ts"
import { realMachine } from "../../machine.ts"
import { confirmSuppression } from "../../store/sources/suppressions.ts"
import { textOf } from "../buyers/buyer-verification.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "suppressions confirm",
  summary: "after a restore: this judgement was not revoked since the backup, so it counts again",
  operands: "ID",
  flags: {
    ...DATA_FLAG,
    reason: { help: "how you know, for the record", value: "TEXT", required: true },
    author: { help: "who confirms", value: "TEXT", required: true },
    ...JSON_FLAG,
  },
  // Nothing is paused without a restore.
  examples: [
    {
      line: 'suppressions confirm sup_AAECAwQFBgcICQoLDA0ODw --data ./data --reason "the register of judgements of 3 November" --author "R. Reviewer"',
      exit: EXIT.INVALID,
    },
  ],
  async run(input) {
    const [id = ""] = input.operands
    const confirmation = {
      at: formatInstant(realMachine.now()),
      author: textOf(input, "author", 160),
      reason: textOf(input, "reason", 1000),
    }
    const { store } = await openData(input)
    const outcome = await store.run(() => confirmSuppression(id, confirmation)).finally(() => store.close())
    if (outcome === "UNKNOWN")
      throw new CommandError(EXIT.NOT_FOUND, `no suppression ${id}; see bizauth suppressions list`)
    if (outcome === "NOT_PAUSED") {
      throw new CommandError(EXIT.INVALID, `${id} is not paused by a restore; see bizauth suppressions list --all`)
    }
    input.result({ suppression: id, state: "IN_FORCE" }, `CONFIRMED  ${id}\n`)
    return EXIT.DONE
  },
}
