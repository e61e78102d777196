import { fingerprint } from "../keys/fingerprint.ts"
import { issueKey } from "../keys/issue-key.ts"
import { keyFilePath } from "../keys/key-file.ts"
import { takeIntoUse } from "../keys/key-places.ts"
import { realMachine } from "../machine.ts"
import { activateKey } from "../store/service-keys.ts"
import { type Command, DATA_FLAG } from "./command.ts"
import { EXIT } from "./exit.ts"
import { openData } from "./inputs.ts"

export const command: Command = {
  name: "keys rotate",
  summary: "make a new signing key; what the old one signed verifies on",
  operands: "",
  flags: DATA_FLAG,
  async run(input) {
    const { store, paths } = await openData(input)
    const row = issueKey(paths.keys, "statement", realMachine)
    const before = await store.run(() => activateKey(row))
    takeIntoUse(paths.keys, row.keyId)
    await store.close()
    input.out(`created  ${keyFilePath(paths.keys, row.keyId)}
ACTIVE   ${row.keyId}
         SHA-256 ${fingerprint(row.x)}
ROTATED  ${before ?? "none"}

Running servers sign with the new key within seconds. Back up the new file and publish its fingerprint.
`)
    return EXIT.DONE
  },
}
