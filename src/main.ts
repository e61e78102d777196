/** argv to one file of cli/. Prints what a person needs on stderr and ends with the exit code a script needs. */
import type { Terminal } from "./cli/command.ts"
import { readInput } from "./cli/command.ts"
import { commands, findCommand } from "./cli/commands.ts"
import { CommandError, EXIT, type ExitCode } from "./cli/exit.ts"
import { commandHelp, overview } from "./cli/help.ts"
import { nearest } from "./nearest.ts"

const terminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  outTaken: (text) =>
    new Promise((resolve, reject) => {
      // A closed pipe is told twice, and the event without a listener would end the process as a bug of ours.
      process.stdout.once("error", reject)
      process.stdout.write(text, (error) => {
        if (error) return reject(error)
        process.stdout.off("error", reject)
        resolve()
      })
    }),
  err: (text) => void process.stderr.write(text),
  isWatched: process.stderr.isTTY === true && process.stdout.isTTY !== true,
  drawsLines: process.stderr.isTTY === true,
  environment: process.env,
}

async function main(argv: readonly string[]): Promise<ExitCode> {
  const [first] = argv
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    const about = findCommand(argv.slice(1))
    terminal.out(about ? commandHelp((await about.load()).command) : await overview())
    return EXIT.DONE
  }
  if (first === "--version") return main(["version"])
  const found = findCommand(argv)
  if (!found) {
    const typed = argv.slice(0, 2).join(" ")
    terminal.err(
      `unknown command "${typed}"; did you mean "${nearest(typed, Object.keys(commands))}"? See bizauth help.\n`,
    )
    return EXIT.USAGE
  }
  const { command } = await found.load()
  if (found.rest.includes("--help")) {
    terminal.out(commandHelp(command))
    return EXIT.DONE
  }
  return command.run(readInput(command, found.rest, terminal))
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const expected = error instanceof CommandError
    terminal.err(
      `bizauth: ${error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error)}\n`,
    )
    process.exitCode = expected ? error.exit : EXIT.BUG
  },
)
