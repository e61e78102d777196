import { formatInstant } from "../../core/time.ts"
import { CommandError, EXIT } from "../../exit.ts"
import { realMachine } from "../../machine.ts"
import { confirmBuyer } from "../../store/buyers/buyer-registration.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { textOf } from "./buyer-verification.ts"

export const command: Command = {
  name: "buyers confirm",
  summary:
    "after a restore: the organization and the named mandate keys were not revoked since the backup, so they count again",
  operands: "ID [KEY_ID…]",
  flags: {
    ...DATA_FLAG,
    reason: { help: "how you know, for the record", value: "TEXT", required: true },
    author: { help: "who confirms", value: "TEXT", required: true },
    ...JSON_FLAG,
  },
  // Nothing is paused without a restore.
  examples: [
    {
      line: 'buyers confirm org:example ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k --data ./data --reason "called back" --author "J. Doe"',
      exit: EXIT.INVALID,
    },
  ],
  async run(input) {
    const [organizationId = "", ...keyIds] = input.operands
    const author = textOf(input, "author", 160)
    const reason = textOf(input, "reason", 300)
    const { store } = await openData(input)
    const at = formatInstant(realMachine.now())
    const outcome = await store
      .run(() => confirmBuyer({ organizationId, keyIds, at, author, reason }))
      .finally(() => store.close())
    if (outcome === "ORGANIZATION_UNKNOWN") {
      throw new CommandError(
        EXIT.NOT_FOUND,
        `no organization ${organizationId} that is not revoked; see bizauth buyers list`,
      )
    }
    if (outcome === "KEY_UNKNOWN") {
      throw new CommandError(
        EXIT.NOT_FOUND,
        `${organizationId} has no such key that is not revoked; see bizauth buyers list`,
      )
    }
    if (outcome === "NOT_PAUSED") {
      throw new CommandError(EXIT.INVALID, `a restore paused none of these; see bizauth buyers list`)
    }
    input.result(
      { organization: organizationId, keys: keyIds, state: "ACTIVE" },
      `CONFIRMED  ${[organizationId, ...keyIds].join("  ")}\nIts other mandate keys stay paused. It delegates to its agents again.\n`,
    )
    return EXIT.DONE
  },
}
