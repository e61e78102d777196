import { EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { publicFile, publicText, releaseKeyOf, secretFile } from "../../release/minisign.ts"
import type { Command } from "../command.ts"
import { requireNewFile, writeNewFile } from "../documents/write-output.ts"

const ID_BYTES = 8
const SEED_BYTES = 32

export const command: Command = {
  name: "release keygen",
  summary: "make the key that signs releases, on a machine without a network",
  operands: "",
  flags: {
    out: {
      help: "new secret key file of minisign without a password, readable by its owner only; FILE.pub gets the public half",
      value: "FILE",
      required: true,
    },
  },
  examples: ["release keygen --out ./release.key"],
  async run(input) {
    const path = input.need("out")
    const publicPath = `${path}.pub`
    for (const place of [path, publicPath]) requireNewFile(place)
    const key = releaseKeyOf(realMachine.random(SEED_BYTES), realMachine.random(ID_BYTES))
    writeNewFile(path, secretFile(key))
    writeNewFile(publicPath, publicFile(key))
    input.result(
      { key_id: key.id, public_key: publicText(key), file: path, public_file: publicPath },
      `release key ${key.id}\nsecret      ${path}; it signs releases, keep it on a machine without a network\npublic      ${publicPath}; for scripts/release.ts --release-key, and for everybody who checks a download\n            ${publicText(key)}\n`,
    )
    return EXIT.DONE
  },
}
