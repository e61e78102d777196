import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { countsSince } from "../../store/agent-mode/beacon-counters.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

const DAYS_DEFAULT = 30
const DAYS_MAX = 400
/** More lines than days, kinds, products and channels give in a month of every combination. */
const LINES_MAX = 100_000

export const command: Command = {
  name: "beacon report",
  summary: "events of the Intent Beacon by day, kind, product and channel; no agent is in it",
  operands: "",
  flags: {
    ...DATA_FLAG,
    days: { help: `days back, 1 to ${DAYS_MAX} (default ${DAYS_DEFAULT})`, value: "DAYS" },
    ...JSON_FLAG,
  },
  examples: ["beacon report --data ./data --days 7"],
  async run(input) {
    const typed = input.text("days") ?? String(DAYS_DEFAULT)
    const days = /^\d{1,3}$/.test(typed) ? Number(typed) : 0
    if (days < 1 || days > DAYS_MAX)
      throw new CommandError(EXIT.USAGE, `--days is a whole number from 1 to ${DAYS_MAX}`)
    const { store } = await openData(input)
    try {
      const from = formatInstant(realMachine.now() - (days - 1) * DAY).slice(0, 10)
      const counts = await store.read(() => countsSince(from, LINES_MAX))
      if (input.on("json")) input.out(`${JSON.stringify({ version: 1, from, counts })}\n`)
      else if (counts.length === 0) input.out("none\n")
      else {
        for (const { day, eventKind, productId, channel, events } of counts) {
          input.out(`${day}  ${eventKind}  ${productId === "" ? "-" : productId}  ${channel}  ${events}\n`)
        }
      }
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}
