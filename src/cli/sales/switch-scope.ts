import { CHANNELS } from "../../../schemas/agent-mode/channels.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { guess } from "../../core/nearest.ts"
import { formatInstant } from "../../core/time.ts"
import { recordSwitch, type SwitchRow } from "../../store/agent-mode/sales-switches.ts"
import { textOf } from "../buyers/buyer-verification.ts"
import { DATA_FLAG, type Flag, type Input } from "../command.ts"
import { openData } from "../inputs.ts"

export const SWITCH_FLAGS = {
  ...DATA_FLAG,
  beacon: { help: "only the Intent Beacon" },
  reason: { help: "why, for the record", value: "TEXT", required: true },
} as const satisfies Record<string, Flag>

/** Throws CommandError (2) for a text that is no channel. */
export function channelOf(typed: string): string {
  const channel = CHANNELS.find((known) => known === typed)
  if (channel) return channel
  throw new CommandError(
    EXIT.USAGE,
    `no channel ${typed}${guess(typed, CHANNELS) || `; known: ${CHANNELS.join(", ")}`}`,
  )
}

/** A channel, BEACON or ALL. */
function scopeOf(input: Input): string {
  const [channel] = input.operands
  if (channel === undefined) return input.on("beacon") ? "BEACON" : "ALL"
  if (input.on("beacon")) throw new CommandError(EXIT.USAGE, "a channel or --beacon, not both")
  return channelOf(channel)
}

/** Stops or starts what the operands name. A running server follows with its next message. */
export async function runSwitch(input: Input, action: "STOP" | "START"): Promise<ExitCode> {
  const scope = scopeOf(input)
  await record(input, { scope, action, opens: null, closes: null })
  const state = action === "STOP" ? "STOPPED" : "STARTED"
  input.result({ scope, state }, `${state}  ${scope}\n`)
  return EXIT.DONE
}

export async function record(input: Input, row: Omit<SwitchRow, "at" | "reason">): Promise<void> {
  const reason = textOf(input, "reason", 1000)
  const { store } = await openData(input)
  try {
    await store.run(() => recordSwitch({ ...row, at: formatInstant(realMachine.now()), reason }))
  } finally {
    await store.close()
  }
}
