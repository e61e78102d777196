import { CommandError, EXIT } from "../../base/exit.ts"

/** The number of a case. Throws CommandError (2) for another text: an execution id is a right to read, and names no case. */
export function needNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new CommandError(EXIT.USAGE, "CASE is the number of a case, as bizauth review list prints it, such as 17")
}
