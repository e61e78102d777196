import { CommandError, EXIT } from "../../base/exit.ts"
import type { Command } from "../command.ts"
import { channelOf, record, SWITCH_FLAGS } from "./switch-scope.ts"

const MINUTE_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/

export const command: Command = {
  name: "sales window",
  summary: "open a channel only between two times of the day in UTC; equal times: always open",
  operands: "CHANNEL HH:MM HH:MM",
  flags: { data: SWITCH_FLAGS.data, reason: SWITCH_FLAGS.reason },
  examples: ['sales window mcp 08:00 18:00 --data ./data --reason "office hours"'],
  async run(input) {
    const [typed = "", opens = "", closes = ""] = input.operands
    const scope = channelOf(typed)
    if (![opens, closes].every((time) => MINUTE_OF_DAY.test(time))) {
      throw new CommandError(EXIT.USAGE, "times are HH:MM in UTC, such as 08:00 18:30")
    }
    await record(input, { scope, action: "WINDOW", opens, closes })
    input.result(
      { scope, opens, closes },
      opens === closes ? `ALWAYS  ${scope}\n` : `WINDOW  ${scope}  ${opens} to ${closes} UTC\n`,
    )
    return EXIT.DONE
  },
}
