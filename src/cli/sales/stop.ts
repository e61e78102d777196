import type { Command } from "../command.ts"
import { runSwitch, SWITCH_FLAGS } from "./switch-scope.ts"

export const command: Command = {
  name: "sales stop",
  summary: "stop agent sales and the Intent Beacon, or one channel, at once; agents can still leave",
  operands: "[CHANNEL]",
  flags: SWITCH_FLAGS,
  examples: ['sales stop --data ./data --reason "the price list is under review"'],
  run: (input) => runSwitch(input, "STOP"),
}
