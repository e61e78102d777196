import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import { addMandateKey } from "../../store/buyers/buyer-registration.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { keyTaken, newMandateKey } from "./add.ts"

export const command: Command = {
  name: "buyers add-key",
  summary: "add a mandate key to a buyer organization, to replace one before or after it is revoked",
  operands: "ID JWKFILE",
  flags: DATA_FLAG,
  examples: ["buyers add-key org:example ./new-org.key.pub --data ./data"],
  async run(input) {
    const [organizationId = "", path = ""] = input.operands
    const key = newMandateKey(path)
    const { store } = await openData(input)
    try {
      const outcome = await store.run(() => addMandateKey(organizationId, key, formatInstant(realMachine.now())))
      if (outcome === "ORGANIZATION_UNKNOWN") {
        throw new CommandError(EXIT.NOT_FOUND, `no active organization ${organizationId}; see bizauth buyers list`)
      }
      if (outcome === "KEY_TAKEN") throw keyTaken()
    } finally {
      await store.close()
    }
    input.result(
      { organization: organizationId, key: key.keyId },
      `key    ${key.keyId} now signs for ${organizationId}\n`,
    )
    return EXIT.DONE
  },
}
