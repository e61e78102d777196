import type { Command } from "./command.ts"
import { refuseEnvironment } from "./environment-variables.ts"
import { EXIT } from "./exit.ts"
import { CONFIG_FLAGS, readSettings } from "./inputs.ts"

export const command: Command = {
  name: "config check",
  summary: "read the configuration and report every fault, changing nothing",
  operands: "",
  flags: CONFIG_FLAGS,
  async run(input) {
    refuseEnvironment(input.environment)
    const { file } = readSettings(input)
    input.out(`configuration is right${file === null ? " (no file)" : `: ${file}`}\n`)
    return EXIT.DONE
  },
}
