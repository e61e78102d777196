import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import { revokeOrganization } from "../../store/buyers/buyer-registration.ts"
import { type Command, DATA_FLAG, type Input } from "../command.ts"
import { openData } from "../inputs.ts"
import { textOf } from "./buyer-verification.ts"

const REASON_MAX = 300

export const command: Command = {
  name: "buyers revoke",
  summary: "revoke a buyer organization: its requests get no quotes any more",
  operands: "ID",
  flags: { ...DATA_FLAG, reason: { help: "why, for the record", value: "TEXT", required: true } },
  examples: ['buyers revoke org:example --data ./data --reason "the contract has ended"'],
  async run(input) {
    const organizationId = input.operands[0] ?? ""
    const reason = reasonOf(input)
    const { store } = await openData(input)
    try {
      const at = formatInstant(realMachine.now())
      const outcome = await store.run(() => revokeOrganization(organizationId, reason, at))
      if (outcome === "ORGANIZATION_UNKNOWN") {
        throw new CommandError(EXIT.NOT_FOUND, `no organization ${organizationId}; see bizauth buyers list`)
      }
      if (outcome === "ALREADY_REVOKED") throw new CommandError(EXIT.INVALID, `${organizationId} is revoked already`)
    } finally {
      await store.close()
    }
    input.result(
      { organization: organizationId, state: "REVOKED" },
      `REVOKED  ${organizationId}\nDecisions it has acquired stay recoverable.\n`,
    )
    return EXIT.DONE
  },
}

export function reasonOf(input: Input): string {
  return textOf(input, "reason", REASON_MAX)
}
