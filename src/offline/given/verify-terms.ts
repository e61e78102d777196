/** What a person says beside the files: at which time to judge, what the document must permit, which hash was submitted. */
import { AnswerAction } from "../../../schemas/business-answer.ts"
import { StatedEnvironment } from "../../../schemas/environment.ts"
import { MachineAction } from "../../../schemas/us/proof-capsule.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { parseInstant } from "../../core/time.ts"
import type { Environment, Requirements } from "../verify-input.ts"

/** Returns the time in milliseconds, or `now` if none is given. Throws CommandError (2). */
export function judgedAt(given: string | undefined, now: number): number {
  if (given === undefined) return now
  const at = parseInstant(given)
  if (at === null) throw new CommandError(EXIT.USAGE, "--at takes an RFC 3339 time, e.g. 2026-11-20T10:00:00Z")
  return at
}

export const ACTIONS = [...MachineAction.anyOf, ...AnswerAction.anyOf].map((action) => action.const)

/** Throws CommandError (2) for a word that no document states. */
export function requiredAction(given: string | undefined): MachineAction | AnswerAction | undefined {
  const action = ACTIONS.find((known) => known === given)
  if (given !== undefined && !action) throw new CommandError(EXIT.USAGE, `--require takes one of ${ACTIONS.join(", ")}`)
  return action
}

export const ENVIRONMENTS = StatedEnvironment.anyOf.map((environment) => environment.const)

/** Reads `--require` and `--environment`. Throws CommandError (2) for a word that no document states. */
export function requiredTerms(text: (flag: "require" | "environment") => string | undefined): Requirements {
  const require = requiredAction(text("require"))
  const environment = requiredPlace(text("environment"))
  return { ...(require && { require }), ...(environment && { environment }) }
}

function requiredPlace(given: string | undefined): Environment | undefined {
  if (given === "sandbox") {
    throw new CommandError(EXIT.USAGE, "--environment sandbox: bizauth verify --sandbox verifies such a document")
  }
  const environment = ENVIRONMENTS.find((known) => known === given)
  if (given !== undefined && !environment) {
    throw new CommandError(EXIT.USAGE, `--environment takes one of ${ENVIRONMENTS.join(", ")}`)
  }
  return environment === "sandbox" ? undefined : environment
}

/** Throws CommandError (2) for a hash without the form of one. */
export function requireHash(submitted: string | undefined): string | undefined {
  if (submitted !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(submitted)) {
    throw new CommandError(EXIT.USAGE, "--submitted takes a hash: 0x and 64 hex digits")
  }
  return submitted
}
