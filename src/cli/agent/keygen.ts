import { createKeyFile } from "../../agent/key-file.ts"
import { generateKeyFile } from "../../agent/keys.ts"
import { EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { keyIdOf } from "../../core/jwk.ts"
import { type Command, JSON_FLAG } from "../command.ts"

export const command: Command = {
  name: "agent keygen",
  summary: "Make an agent's operational and recovery keys on this machine",
  operands: "",
  flags: {
    out: { help: "new key file, made readable by its owner only", value: "FILE", required: true },
    ...JSON_FLAG,
  },
  examples: ["agent keygen --out ./agent.json"],
  run: async (input) => {
    const path = input.need("out")
    const keys = generateKeyFile((byteLength) => realMachine.random(byteLength))
    createKeyFile(path, keys)
    const operational = keyIdOf(keys.operational.x)
    const recovery = keyIdOf(keys.recovery.x)
    input.out(
      input.on("json")
        ? `${JSON.stringify({ version: 1, file: path, operational_key_id: operational, recovery_key_id: recovery })}\n`
        : `operational ${operational}\nrecovery    ${recovery}\nwritten to  ${path}; keep a copy of it offline, nobody can restore it\n`,
    )
    return EXIT.DONE
  },
}
