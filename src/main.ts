/** Maps argv to one file of cli/. Writes messages for a person to stderr and ends with an exit code for a script. */
import type { Terminal } from "./cli/command.ts"
import { readInput } from "./cli/command.ts"
import { commands, findCommand } from "./cli/commands.ts"
import { asDataFault } from "./cli/data-fault.ts"
import { commandHelp, overview } from "./cli/help.ts"
import { nearest } from "./core/nearest.ts"
import { CommandError, EXIT, type ExitCode } from "./exit.ts"

// The writer gets the error of a failed write itself. Without a listener the same error would end the process as a bug.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

/** Output that was not written, for example because the disk is full. A reader that has exited, such as `head`, is not an error. */
let isOutputLost = false

function outWritten(error: Error | null | undefined): void {
  if (!error || isOutputLost) return
  const code = "code" in error ? String(error.code) : error.message
  if (code === "EPIPE") return
  isOutputLost = true
  terminal.err(`bizauth: the output cannot be written (${code}); it is not whole\n`)
  if (process.exitCode === undefined || process.exitCode === EXIT.DONE) process.exitCode = EXIT.BUG
}

const taken =
  (stream: NodeJS.WriteStream) =>
  (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()))
    })

const terminal: Terminal = {
  out: (text) => void process.stdout.write(text, outWritten),
  outTaken: taken(process.stdout),
  err: (text) => void process.stderr.write(text),
  errTaken: taken(process.stderr),
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
    process.exitCode = code === EXIT.DONE && isOutputLost ? EXIT.BUG : code
  },
  (thrown: unknown) => {
    const error = asDataFault(thrown)
    const expected = error instanceof CommandError
    terminal.err(
      `bizauth: ${error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error)}\n`,
    )
    process.exitCode = expected ? error.exit : EXIT.BUG
  },
)
