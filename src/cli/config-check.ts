import type { Config } from "../config.ts"
import { realMachine } from "../machine.ts"
import { paymentsOf, sellingSettings } from "../selling-settings.ts"
import type { Command } from "./command.ts"
import { refuseEnvironment } from "./environment-variables.ts"
import { EXIT } from "./exit.ts"
import { asConfigRefusal, CONFIG_FLAGS, readSettings } from "./inputs.ts"

export const command: Command = {
  name: "config check",
  summary: "read the configuration and report every fault, changing nothing",
  operands: "",
  flags: CONFIG_FLAGS,
  async run(input) {
    refuseEnvironment(input.environment)
    const { config, file } = readSettings(input)
    await requirePayable(config)
    input.out(`configuration is right${file === null ? " (no file)" : `: ${file}`}\n`)
    return EXIT.DONE
  },
}

/** What `serve` refuses of the settings of payments, without the network. */
async function requirePayable(config: Config): Promise<void> {
  try {
    const settings = sellingSettings(config, new Uint8Array())
    if (settings !== null) await paymentsOf(settings, realMachine)
  } catch (error) {
    throw asConfigRefusal(error)
  }
}
