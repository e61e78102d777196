import { EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { type Command, JSON_FLAG } from "../command.ts"
import { createMandateKey } from "./mandate-key-file.ts"

export const command: Command = {
  name: "buyers keygen",
  summary: "make an organization's mandate key on its own machine",
  operands: "",
  flags: {
    out: {
      help: "new private key file, readable by its owner only; FILE.pub gets the public half",
      value: "FILE",
      required: true,
    },
    ...JSON_FLAG,
  },
  examples: ["buyers keygen --out ./org.key"],
  run: async (input) => {
    const path = input.need("out")
    const { keyId, publicPath } = createMandateKey(path, realMachine.random(32))
    input.out(
      input.on("json")
        ? `${JSON.stringify({ version: 1, key_id: keyId, file: path, public_file: publicPath })}\n`
        : `mandate key ${keyId}\nprivate     ${path}; it signs delegations and mandates, keep it away from the agent\npublic      ${publicPath}; for bizauth buyers add --mandate-key\n`,
    )
    return EXIT.DONE
  },
}
