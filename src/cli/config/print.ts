import { SETTING_NAMES } from "../../base/config.ts"
import { EXIT } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { type Command, JSON_FLAG, OPTIONAL_DATA_FLAG } from "../command.ts"
import { CONFIG_FLAGS, readSettings } from "../inputs.ts"

export const command: Command = {
  name: "config print",
  summary: "print every setting as it is in force",
  operands: "",
  flags: { ...CONFIG_FLAGS, ...OPTIONAL_DATA_FLAG, ...JSON_FLAG, origin: { help: "add where each value came from" } },
  examples: ["config print --data ./data --origin"],
  async run(input) {
    const { texts, origins } = readSettings(input)
    if (input.on("json")) {
      input.out(`${canonicalize({ version: 1, settings: texts, origins })}\n`)
      return EXIT.DONE
    }
    for (const name of SETTING_NAMES) {
      const from = input.on("origin") ? `  # ${origins[name]}` : ""
      input.out(`${name} = ${JSON.stringify(texts[name])}${from}\n`)
    }
    return EXIT.DONE
  },
}
