import { EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { createMandateKey, readPublicKey } from "../buyers/mandate-key-file.ts"
import { type Command, JSON_FLAG } from "../command.ts"

export const command: Command = {
  name: "sources keygen",
  summary: "make a key that signs exported snapshots, for servers that import only signed ones",
  operands: "",
  flags: {
    out: {
      help: "new private key file, readable by its owner only; FILE.pub gets the public half",
      value: "FILE",
      required: true,
    },
    ...JSON_FLAG,
  },
  examples: ["sources keygen --out ./lists.key"],
  run: async (input) => {
    const path = input.need("out")
    const { keyId, publicPath } = createMandateKey(path, realMachine.random(32))
    const { x } = readPublicKey(publicPath)
    input.out(
      input.on("json")
        ? `${JSON.stringify({ version: 1, key_id: keyId, x, file: path, public_file: publicPath })}\n`
        : `snapshot key ${keyId}\nprivate      ${path}; for bizauth sources export --key, on the machine that fetches\npublic       source_manifest_keys = "${x}"; for the servers that import\n`,
    )
    return EXIT.DONE
  },
}
