/** The commands that confirm, after a restore, that a right was not taken back since the backup. All have one form. */

import { CommandError, EXIT } from "../base/exit.ts"
import { realMachine } from "../base/machine.ts"
import { formatInstant } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { textOf } from "./buyers/buyer-verification.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "./command.ts"
import { openData } from "./inputs.ts"

interface Confirming {
  /** RFC 3339. */
  readonly at: string
  readonly author: string
  readonly reason: string
}

interface ConfirmedRight<Fault extends string> {
  readonly name: `${string} confirm`
  /** What is confirmed, as a sentence that begins after "after a restore: ". */
  readonly summary: string
  readonly operands: string
  readonly examples: Command["examples"]
  readonly confirm: (ids: readonly string[], confirming: Confirming) => Unit<"CONFIRMED" | "NOT_PAUSED" | Fault>
  /** For each other outcome, what is not there. */
  readonly faults: Readonly<Record<Fault, (ids: readonly string[]) => string>>
  /** The command that shows these rights, without the name of the program. */
  readonly listedBy: string
  readonly json: (ids: readonly string[]) => Readonly<Record<string, unknown>>
  /** Further lines for people. */
  readonly note?: string
}

export function confirmCommand<Fault extends string>(right: ConfirmedRight<Fault>): Command {
  const { name, operands, examples, confirm, faults, listedBy, json, note = "" } = right
  return {
    name,
    summary: `after a restore: ${right.summary}`,
    operands,
    flags: {
      ...DATA_FLAG,
      reason: { help: "how you know, for the record", value: "TEXT", required: true },
      author: { help: "who confirms", value: "TEXT", required: true },
      ...JSON_FLAG,
    },
    examples,
    async run(input) {
      const ids = input.operands
      const confirming = {
        at: formatInstant(realMachine.now()),
        author: textOf(input, "author", 160),
        reason: textOf(input, "reason", 1000),
      }
      const { store } = await openData(input)
      const outcome = await store.run(() => confirm(ids, confirming)).finally(() => store.close())
      if (outcome === "NOT_PAUSED") {
        throw new CommandError(EXIT.INVALID, `a restore paused none of these; see bizauth ${listedBy}`)
      }
      if (outcome !== "CONFIRMED") {
        throw new CommandError(EXIT.NOT_FOUND, `${faults[outcome as Fault](ids)}; see bizauth ${listedBy}`)
      }
      input.result(json(ids), `CONFIRMED  ${ids.join("  ")}\n${note}`)
      return EXIT.DONE
    },
  }
}
