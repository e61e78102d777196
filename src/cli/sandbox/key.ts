import { EXIT } from "../../base/exit.ts"
import { publicSandboxKey } from "../../keys/sandbox-key.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "sandbox key",
  summary: "print the public sandbox key as JSON, for verify --sandbox; no published key set has it",
  operands: "",
  flags: { ...DATA_FLAG },
  examples: ["sandbox key --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    try {
      input.out(`${JSON.stringify(await publicSandboxKey(store))}\n`)
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}
