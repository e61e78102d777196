/** The flags of every command that judges a document offline: at which time, and what it must permit. */
import { AnswerAction } from "../../../schemas/business-answer.ts"
import { MachineAction } from "../../../schemas/us/proof-capsule.ts"
import { parseInstant } from "../../core/time.ts"
import { CommandError, EXIT } from "../../exit.ts"
import type { Flag, Input } from "../command.ts"

export const AT_FLAG = {
  at: { help: "judge at this RFC 3339 time instead of now", value: "TIME" },
} as const satisfies Record<string, Flag>

export const REQUIRE_FLAG = {
  require: { help: "exit 9 unless machine_action is this, e.g. RELEASE_PAYMENT or CONTINUE", value: "ACTION" },
} as const satisfies Record<string, Flag>

/** Returns the time of `--at` in milliseconds, or `now`. Throws CommandError (2). */
export function judgedAt(input: Input, now: number): number {
  const given = input.text("at")
  if (given === undefined) return now
  const at = parseInstant(given)
  if (at === null) throw new CommandError(EXIT.USAGE, "--at takes an RFC 3339 time, e.g. 2026-11-20T10:00:00Z")
  return at
}

const ACTIONS = [...MachineAction.anyOf, ...AnswerAction.anyOf].map((action) => action.const)

/** Returns the action of `--require`. Throws CommandError (2) for a word that no document states. */
export function requiredAction(input: Input): MachineAction | AnswerAction | undefined {
  const given = input.text("require")
  const action = ACTIONS.find((known) => known === given)
  if (given !== undefined && !action) throw new CommandError(EXIT.USAGE, `--require takes one of ${ACTIONS.join(", ")}`)
  return action
}
