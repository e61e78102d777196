import { CommandError, EXIT } from "../base/exit.ts"
import type { Input } from "./command.ts"

/** The value of a flag that takes one of `known`; null without the flag. Throws CommandError (USAGE) for another value. */
export function oneOf<Known extends string>(input: Input, flag: string, known: readonly Known[]): Known | null {
  const text = input.text(flag)
  const found = known.find((one) => one === text)
  if (text !== undefined && found === undefined)
    throw new CommandError(EXIT.USAGE, `--${flag} is one of ${known.join(", ")}`)
  return found ?? null
}
