import { CommandError, type ExitCode } from "../../base/exit.ts"
import { MinisignFault } from "../../release/minisign.ts"

/** Runs a call that reads a text of minisign. `name`: what holds the text. A fault ends the command with `exit`. */
export function readingMinisign<T>(name: string, exit: ExitCode, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof MinisignFault) throw new CommandError(exit, `${name}: ${error.message}`)
    throw error
  }
}
