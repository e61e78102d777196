import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { writeVerifierKey } from "../../core/checkpoint.ts"
import { sha256 } from "../../core/sha256.ts"
import { checkpointNote, verifierKeyOf } from "../../core/sign-checkpoint.ts"
import { formatInstant } from "../../core/time.ts"
import { keysIn } from "../../keys/key-places.ts"
import { KeyRing } from "../../keys/key-ring.ts"
import { changeLogOrigin } from "../../store/log/log-origin.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"

const WHY_LENGTH_MAX = 500

/** The same leaves continue under the new name. Proofs under the old name stay valid, and nothing can be added to it. */
export const command: Command = {
  name: "log new-origin",
  summary: "rename the transparency log after the host of base_url, with a reason; pins of the old name stop working",
  operands: "",
  flags: {
    ...DATA_FLAG,
    ...Object.fromEntries(Object.entries(CONFIG_FLAGS).filter(([name]) => name === "config" || name === "base-url")),
    why: {
      help: "why the name changes, published with the log; at most 500 characters",
      value: "TEXT",
      required: true,
    },
    ...JSON_FLAG,
  },
  examples: ['log new-origin --data ./data --base-url https://new.example --why "the service moved to another host"'],
  async run(input) {
    const why = reason(input)
    const baseUrl = readSettings(input).config.base_url
    if (baseUrl === null) {
      throw new CommandError(
        EXIT.USAGE,
        "--base-url is needed (or base_url in bizauth.toml): the log is named after its host",
      )
    }
    const { store, paths } = await openData(input)
    try {
      const keys = await KeyRing.open({
        store,
        heldKey: keysIn(paths.keys),
        issuer: "",
        machine: realMachine,
        othersVersion: () => 0,
      })
      const at = formatInstant(realMachine.now())
      const changed = await store.run(() => changeLogOrigin(new URL(baseUrl).host, { why, at }))
      if (changed === null) {
        throw new CommandError(EXIT.NOT_FOUND, "the log has no name yet: the first bizauth serve gives it one")
      }
      const { origin, before, head } = changed
      const key = keys.logKey()
      const last = checkpointNote({ origin: before.origin, size: head.size, rootHash: head.rootHash }, key)
      const verifierKey = writeVerifierKey(sha256, verifierKeyOf(origin, key.x))
      input.out(
        input.on("json")
          ? `${JSON.stringify({ version: 1, origin, verifier_key: verifierKey, before, last_checkpoint: last })}\n`
          : `log      ${origin}
key      ${verifierKey}
before   ${before.origin}, ${before.tree_size} leaves
next     restart every running server: until then it signs under the old name
         give verifiers the key above: what they pinned is for the old name
         keep and publish the last checkpoint of the old name:

${last}`,
      )
      return EXIT.DONE
    } finally {
      await store.close()
    }
  },
}

function reason(input: Input): string {
  const why = input.need("why").trim()
  if (why !== "" && why.length <= WHY_LENGTH_MAX && !/\p{C}/u.test(why)) return why
  throw new CommandError(EXIT.USAGE, "--why takes 1 to 500 characters without control characters")
}
