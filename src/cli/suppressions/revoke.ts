import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import { revokeSuppression } from "../../store/sources/suppressions.ts"
import { textOf } from "../buyers/buyer-verification.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "suppressions revoke",
  summary: "end a judgement that a party is not a listed entry; a running server follows within a second",
  operands: "ID",
  flags: {
    ...DATA_FLAG,
    reason: { help: "why, for the record", value: "TEXT", required: true },
    author: { help: "who revokes", value: "TEXT", required: true },
  },
  examples: [
    'suppressions revoke sup_AAECAwQFBgcICQoLDA0ODw --data ./data --reason "the owner has changed" --author "R. Reviewer"',
  ],
  async run(input) {
    const [id = ""] = input.operands
    const revocation = {
      at: formatInstant(realMachine.now()),
      author: textOf(input, "author", 160),
      reason: textOf(input, "reason", 1000),
    }
    const { store } = await openData(input)
    try {
      const outcome = await store.run(() => revokeSuppression(id, revocation))
      if (outcome === "UNKNOWN")
        throw new CommandError(EXIT.NOT_FOUND, `no suppression ${id}; see bizauth suppressions list`)
      if (outcome === "REVOKED_ALREADY") throw new CommandError(EXIT.INVALID, `${id} is revoked already`)
    } finally {
      await store.close()
    }
    input.result(
      { suppression: id, state: "REVOKED" },
      `REVOKED  ${id}\nDecisions that were delivered under it keep it in their evidence.\n`,
    )
    return EXIT.DONE
  },
}
