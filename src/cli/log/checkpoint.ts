import { ServiceError } from "../../base/errors.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { checkpointNote } from "../../core/sign-checkpoint.ts"
import { keysIn } from "../../keys/key-places.ts"
import { KeyRing } from "../../keys/key-ring.ts"
import { logOrigin } from "../../store/log/log-origin.ts"
import { readTreeHead } from "../../store/log/transparency-log.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "log checkpoint",
  summary: "print the signed checkpoint of the transparency log as it is now",
  operands: "",
  flags: DATA_FLAG,
  examples: ["log checkpoint --data ./data"],
  async run(input) {
    const { store, paths } = await openData(input)
    try {
      const [origin, head] = [await store.read(logOrigin), await store.read(readTreeHead)]
      if (origin === null)
        throw new CommandError(EXIT.NOT_FOUND, "the log has no name before a service has run: bizauth serve gives it")
      const keys = await KeyRing.open({
        store,
        heldKey: keysIn(paths.keys),
        issuer: "",
        machine: realMachine,
        othersVersion: () => 0,
      })
      const note = checkpointNote({ origin, size: head.size, rootHash: head.rootHash }, keys.logKey())
      input.result({ checkpoint: note }, note)
      return EXIT.DONE
    } catch (error) {
      throw error instanceof ServiceError ? new CommandError(EXIT.CONFIG, `${error.code}: ${error.detail}`) : error
    } finally {
      await store.close()
    }
  },
}
