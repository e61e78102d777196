/** Seed and clock, as every command of the sandbox takes them. */
import { isJourneyClock, SEED_MAX } from "../../../schemas/agent-mode/journeys.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { parseInstant } from "../../core/time.ts"
import type { Input } from "../command.ts"

export function seedOf(input: Input): number {
  const typed = input.text("seed") ?? "0"
  const seed = /^\d{1,10}$/.test(typed) ? Number(typed) : Number.NaN
  if (seed <= SEED_MAX) return seed
  throw new CommandError(EXIT.USAGE, `--seed must be a whole number from 0 to ${SEED_MAX}`)
}

/** Milliseconds since the epoch. `otherwise`: without `--clock`. */
export function clockOf(input: Input, otherwise: number): number {
  const typed = input.text("clock")
  if (typed === undefined) return otherwise
  const clock = parseInstant(typed)
  if (clock !== null && isJourneyClock(clock)) return clock
  throw new CommandError(EXIT.USAGE, "--clock must be an RFC 3339 time in the years 2020 to 2099")
}
