import { CommandError, EXIT } from "../../base/exit.ts"

/** The name of a reviewer, which judgements show as their author. Throws CommandError (2). */
export function nameOf(text: string): string {
  const name = text.trim()
  if (name !== "" && name.length <= 160 && !/\p{C}/u.test(name)) return name
  throw new CommandError(EXIT.USAGE, "NAME has 1 to 160 characters without control characters")
}
