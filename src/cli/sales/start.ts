import type { Command } from "../command.ts"
import { runSwitch, SWITCH_FLAGS } from "./switch-scope.ts"

export const command: Command = {
  name: "sales start",
  summary: "end a stop of the same scope; a channel that was stopped by itself stays stopped",
  operands: "[CHANNEL]",
  flags: SWITCH_FLAGS,
  examples: ['sales start --data ./data --reason "the price list is approved"'],
  run: (input) => runSwitch(input, "START"),
}
