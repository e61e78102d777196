import { canonicalize } from "../core/canonical-json.ts"
import { publishedKeys } from "../keys/published-keys.ts"
import { listServiceKeys } from "../store/service-keys.ts"
import { type Command, DATA_FLAG } from "./command.ts"
import { EXIT } from "./exit.ts"
import { openData } from "./inputs.ts"

export const command: Command = {
  name: "keys export",
  summary: "print the public key set for offline verification",
  operands: "",
  flags: {
    ...DATA_FLAG,
    "with-revoked": { help: "add REVOKED keys, for bizauth verify; other verifiers would trust them" },
  },
  async run(input) {
    const { store } = await openData(input)
    const keys = await store.read(() => listServiceKeys("statement"))
    await store.close()
    input.out(`${canonicalize(publishedKeys(keys, { revoked: input.on("with-revoked") }))}\n`)
    return EXIT.DONE
  },
}
