import { parseArgs } from "node:util"
import { CommandError, EXIT, type ExitCode } from "../base/exit.ts"
import { createLog, type LogFields } from "../base/log.ts"
import { every, realMachine } from "../base/machine.ts"
import { guess } from "../core/nearest.ts"
import { commaList } from "../core/text/comma-list.ts"
import { openBlockedLine } from "./blocked-line.ts"
import { openProgress, type Progress } from "./progress.ts"

export interface Flag {
  readonly help: string
  /** Placeholder of the value. A flag without one is a switch. */
  readonly value?: string
  /** One letter, as in `-v`. */
  readonly short?: string
  /** True, or the condition under which the command needs the flag, such as `without --undo`. */
  readonly required?: true | string
  /** The flag sets one setting of the server. Help lists these flags after the command's own. */
  readonly isSetting?: true
  /** The flag is a list, so it may be given several times. Any other flag that is given twice is exit 2. */
  readonly repeats?: true
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** e.g. `ID PATH…`; an ellipsis means one or more, brackets mean optional. */
  readonly operands: string
  readonly flags: Readonly<Record<string, Flag>>
  /** Help, the manual page and the reference print them. A test runs each one. */
  readonly examples: readonly [Example, ...Example[]]
  readonly run: (input: Input) => Promise<ExitCode>
}

/** Loads the file of one command. */
export type Load = () => Promise<{ readonly command: Command }>

/** Every command by its name, in the order of help. */
export type CommandTable = Readonly<Record<string, Load>>

/** A command line without the word `bizauth`, with its exit code unless that is 0. */
export type Example = string | { readonly line: string; readonly exit: ExitCode }

export function exampleOf(example: Example): { readonly line: string; readonly exit: ExitCode } {
  return typeof example === "string" ? { line: example, exit: EXIT.DONE } : example
}

export interface Terminal {
  out(text: string): void
  /**
   * Same as `out`, but resolves after the reader has taken the text: for output larger than memory. Rejects if there is no reader any more.
   * Omitted if `out` itself returns only after the text is taken.
   */
  outTaken?(text: string): Promise<void>
  err(text: string): void
  /** Same as `err`, but resolves after the reader has taken the text. Rejects if it cannot be written. Omitted like `outTaken`. */
  errTaken?(text: string): Promise<void>
  /** Stderr is a terminal and stdout is not, so a progress line is visible and does not mix with the output. */
  readonly isWatched?: boolean
  /** Stderr is a terminal. A progress line may be drawn there while stdout is silent, and must be cleared before stdout writes. */
  readonly drawsLines?: boolean
  /** Width of the terminal in columns; undefined or 0 if it does not say. */
  readonly columns?: () => number | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The command table, for commands that print it. Omitted where none of them runs. */
  readonly commands?: CommandTable
}

export interface Input extends Required<Omit<Terminal, "commands">> {
  /** The progress line. Every text that is written through this input clears it first, and so does the end of the command. */
  readonly progress: Progress
  readonly operands: readonly string[]
  /** Returns the value of a flag that takes one. Throws for a list, of which it would hide all values but one. */
  text(flag: string): string | undefined
  /** Returns every value of a flag that takes one or is a list, in their order. */
  texts(flag: string): readonly string[]
  /** Same as `texts`, with each value split at its commas. */
  list(flag: string): readonly string[]
  /** Same as `text`; exit 2 if the flag is missing. */
  need(flag: string): string
  on(flag: string): boolean
  /** Loads every command of the table, in its order. Throws if the terminal has no table. */
  everyCommand(): Promise<readonly Command[]>
  /** Prints what a command did: `text` for a person, or with `--json` the object as version 1. */
  result(json: Readonly<Record<string, unknown>>, text: string): void
  readonly values: Readonly<Record<string, string | undefined>>
}

export const JSON_FLAG = { json: { help: "machine-readable output, version 1" } } as const satisfies Record<
  string,
  Flag
>
export const DATA_FLAG = {
  data: { help: "data directory", value: "DIR", required: "without BIZAUTH_DATA" },
} as const satisfies Record<string, Flag>

/** For commands that also work without a data directory. */
export const OPTIONAL_DATA_FLAG = {
  data: { help: "data directory (or BIZAUTH_DATA)", value: "DIR" },
} as const satisfies Record<string, Flag>

/** The flags of a command with those that every command has. */
export function allFlags(command: Command): Readonly<Record<string, Flag>> {
  return { ...command.flags, ...JSON_FLAG }
}

/** Loads every command, in the order of the table. */
export async function everyLoaded(commands: CommandTable): Promise<readonly Command[]> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  return loaded.map(({ command }) => command)
}

/** Parses the arguments of one command. Throws CommandError (2); for an unknown flag it suggests the nearest one. */
export function readInput(command: Command, argv: readonly string[], terminal: Terminal): Input {
  const flags = allFlags(command)
  const { values, operands } = parseLine(command, flags, argv)
  const texts = (name: string) => [values[name] ?? []].flat().filter((value) => typeof value === "string")
  const text = (name: string) => {
    if (flags[name]?.repeats) throw new Error(`--${name} is a list`)
    return texts(name)[0]
  }
  const need = (name: string) => {
    const value = text(name)
    if (value === undefined) throw missing(name, flags)
    return value
  }
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.required === true && values[name] === undefined) throw missing(name, flags)
  }
  const streams = withProgress(terminal, values["json"] === true)
  const single = Object.keys(values).filter((name) => !flags[name]?.repeats)
  return {
    ...streams,
    environment: terminal.environment,
    operands,
    text,
    texts,
    list: (name) => texts(name).flatMap(commaList),
    need,
    on: (name) => values[name] === true,
    everyCommand: async () => {
      if (terminal.commands === undefined) throw new Error("this terminal has no command table")
      return everyLoaded(terminal.commands)
    },
    result: (json, text) =>
      streams.out(values["json"] === true ? `${JSON.stringify({ version: 1, ...json })}\n` : text),
    values: Object.fromEntries(single.map((name) => [name, text(name)])),
  }
}

type Flags = Readonly<Record<string, Flag>>

interface Line {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly operands: readonly string[]
}

function parseLine(command: Command, flags: Flags, argv: readonly string[]): Line {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      {
        type: flag.value ? ("string" as const) : ("boolean" as const),
        multiple: flag.repeats === true,
        ...(flag.short === undefined ? {} : { short: flag.short }),
      },
    ]),
  )
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true, tokens: true })
    requireOnce(flags, parsed.tokens)
    requireOperands(command, parsed.positionals)
    return { values: parsed.values, operands: parsed.positionals }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const unknown = error instanceof Error ? /'(--?[^'\s]+)/.exec(error.message)?.[1] : undefined
    const known = Object.keys(flags).map((name) => `--${name}`)
    if (unknown && !known.includes(unknown)) {
      const wayOut = `bizauth help ${command.name} lists its flags`
      throw new CommandError(EXIT.USAGE, `unknown flag ${unknown}${guess(unknown, known) || `; ${wayOut}`}`)
    }
    throw new CommandError(EXIT.USAGE, error instanceof Error ? error.message : "arguments cannot be read")
  }
}

type Token = { readonly kind: "option"; readonly name: string } | { readonly kind: "positional" | "option-terminator" }

/** The parser keeps the last value of a flag that is given twice. The person who wrote both would never learn that one did not count. */
function requireOnce(flags: Flags, tokens: readonly Token[]): void {
  const given = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []))
  const twice = given.find((name, at) => !flags[name]?.repeats && given.indexOf(name) !== at)
  if (twice === undefined) return
  const times = given.filter((name) => name === twice).length
  throw new CommandError(EXIT.USAGE, `--${twice} is given ${times === 2 ? "twice" : `${times} times`}; give it once`)
}

function missing(name: string, flags: Flags): CommandError {
  return new CommandError(EXIT.USAGE, `--${name} is needed: ${flags[name]?.help ?? ""}`)
}

const COLUMNS_DEFAULT = 80

/** The streams of a terminal; what is written to the terminal clears the progress line first. */
function withProgress(
  terminal: Terminal,
  asJson: boolean,
): Omit<Required<Terminal>, "environment" | "commands"> & Pick<Input, "progress"> {
  const { out, err, isWatched = false, drawsLines = false, columns = () => undefined } = terminal
  const log = createLog("info", err, realMachine.now)
  const parts = { environment: terminal.environment, isWatched, drawsLines, columns, err }
  const progress = progressOn(parts, asJson, (fields) => log.info("progress", fields))
  // Standard output that goes elsewhere does not touch the line.
  const clearForOut = isWatched ? () => {} : progress.clear
  const cleared = (clear: () => void, write: (text: string) => void) => (text: string) => {
    clear()
    write(text)
  }
  const taken = (clear: () => void, write: (text: string) => Promise<void>) => (text: string) => {
    clear()
    return write(text)
  }
  return {
    out: cleared(clearForOut, out),
    outTaken: taken(clearForOut, terminal.outTaken ?? (async (text) => out(text))),
    err: cleared(progress.clear, err),
    errTaken: taken(progress.clear, terminal.errTaken ?? (async (text) => err(text))),
    isWatched,
    drawsLines,
    columns,
    progress,
  }
}

/** `log` writes one log line, for a command that logs JSON. */
export function progressOn(
  { drawsLines, columns, environment, err }: Pick<Required<Terminal>, "drawsLines" | "columns" | "environment" | "err">,
  asJson: boolean,
  log: (fields: LogFields) => void,
): Progress {
  const understandsCodes = drawsLines && environment["TERM"] !== "dumb"
  const width = () => columns() || COLUMNS_DEFAULT
  return openProgress({
    write: err,
    mode: understandsCodes ? "LINE" : asJson ? "JSON" : "PLAIN",
    columns: width,
    now: realMachine.monotonic,
    every: (ms, callback) => every(realMachine, ms, callback),
    log,
    blocked: openBlockedLine(width),
  })
}

function requireOperands(command: Command, given: readonly string[]): void {
  const words = command.operands.split(" ").filter((word) => word !== "")
  const least = words.filter((word) => !word.startsWith("[")).length
  const most = words.some((word) => word.includes("…")) ? Number.POSITIVE_INFINITY : words.length
  if (given.length < least || given.length > most) {
    throw new CommandError(EXIT.USAGE, `usage: bizauth ${command.name} ${command.operands}`.trimEnd())
  }
}
