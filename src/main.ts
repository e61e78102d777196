/** Maps argv to one file of cli/. Writes messages for a person to stderr and ends with an exit code for a script. */

import { CommandError, EXIT, type ExitCode } from "./base/exit.ts"
import type { Terminal } from "./cli/command.ts"
import { readInput } from "./cli/command.ts"
import { commands, findCommand } from "./cli/commands.ts"
import { asDataFault } from "./cli/data-fault.ts"
import { requirePlainEnvironment } from "./cli/environment-variables.ts"
import { failureOf, flagsPart, wantsJson } from "./cli/failure.ts"
import { guess } from "./core/nearest.ts"

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
  columns: () => process.stderr.columns,
  environment: process.env,
  commands,
}

const HELP = new Set(["--help", "-h"])

async function main(argv: readonly string[]): Promise<ExitCode> {
  const [first] = argv
  if (first === undefined || HELP.has(first)) return help([])
  if (first === "help") return help(argv.slice(1))
  // CHOICE: `-v` alone is the version, as in most programs.
  if (first === "--version" || first === "-v") return main(["version", ...argv.slice(1)])
  const found = findCommand(argv)
  const words = argv.filter((word) => !HELP.has(word))
  if (!found) return words.length < argv.length ? help(words) : unknown(argv)
  if (flagsPart(found.rest).some((word) => HELP.has(word))) return help(found.name.split(" "))
  requirePlainEnvironment(terminal.environment)
  const { command } = await found.load()
  const input = readInput(command, found.rest, terminal)
  try {
    return await command.run(input)
  } finally {
    input.progress.end()
  }
}

async function help(about: readonly string[]): Promise<ExitCode> {
  const { commandHelp, everyCommand, groupHelp, overview } = await import("./cli/help.ts")
  const [first] = about
  if (first === undefined) terminal.out(await overview(commands))
  else if (first === "--all") terminal.out(await everyCommand(commands))
  else {
    const found = findCommand(about)
    const text = found ? commandHelp((await found.load()).command) : await groupHelp(commands, about.join(" "))
    if (text === null) return unknown(about)
    terminal.out(text)
  }
  return EXIT.DONE
}

/** Throws CommandError (2) with the commands of the group, or with the nearest command. */
async function unknown(words: readonly string[]): Promise<never> {
  const [first = ""] = words
  const names = Object.keys(commands)
  const inGroup = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1))
  if (inGroup.length > 0) {
    const [, second] = words
    const typed = second === undefined || second.startsWith("-") ? "" : second
    const what = typed === "" ? `bizauth ${first} needs a command` : `unknown command "${first} ${typed}"`
    const near = typed === "" ? "" : guess(`${first} ${typed}`, names, (word) => `"${word}"`)
    throw new CommandError(EXIT.USAGE, `${what}${near || "."} Commands of ${first}: ${inGroup.join(", ")}`)
  }
  const typed = words.slice(0, 2).join(" ")
  const near = guess(first, names, (word) => `"${word}"`) || guess(typed, names, (word) => `"${word}"`)
  throw new CommandError(EXIT.USAGE, `unknown command "${typed}"${near || "."} See bizauth help.`)
}

const argv = process.argv.slice(2)
main(argv).then(
  (code) => {
    process.exitCode = code === EXIT.DONE && isOutputLost ? EXIT.BUG : code
  },
  (thrown: unknown) => {
    const { exit, text } = failureOf(asDataFault(thrown), wantsJson(argv))
    terminal.err(text)
    process.exitCode = exit
  },
)
