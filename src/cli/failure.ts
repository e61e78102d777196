/** How a command reports that it failed: a sentence for a person, or with `--json` one object for a script. Both go to stderr. */
import { CommandError, EXIT, type ExitCode } from "../base/exit.ts"
import { plainText } from "../core/text/plain-text.ts"

interface Failure {
  readonly exit: ExitCode
  readonly text: string
}

/** `error` is a CommandError, or a bug: then the text has its stack. */
export function failureOf(error: unknown, asJson: boolean): Failure {
  const exit = error instanceof CommandError ? error.exit : EXIT.BUG
  const message = printed(error instanceof Error ? error.message : String(error))
  if (asJson) return { exit, text: `${JSON.stringify({ version: 1, error: { exit, code: codeOf(exit), message } })}\n` }
  const shown =
    exit === EXIT.BUG && error instanceof Error && error.stack !== undefined ? printed(error.stack) : message
  return { exit, text: `bizauth: ${shown}\n` }
}

/** A server, a list or a document may have written a part of a message, and none of them writes to a terminal. Its lines stay. */
function printed(message: string): string {
  return message
    .split("\n")
    .map((line) => plainText(line, Number.POSITIVE_INFINITY))
    .join("\n")
}

/** Name of the exit code, such as `USAGE`. */
function codeOf(exit: ExitCode): string {
  return Object.entries(EXIT).find(([, code]) => code === exit)?.[0] ?? "BUG"
}

/** Whether the caller wants JSON, even when the rest of the line cannot be parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  return flagsPart(argv).includes("--json")
}

/** The words that may be flags: what follows `--` is none. */
export function flagsPart(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--")
  return end === -1 ? argv : argv.slice(0, end)
}
