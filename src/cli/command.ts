import { parseArgs } from "node:util"
import { nearest } from "../core/nearest.ts"
import { CommandError, EXIT, type ExitCode } from "../exit.ts"

export interface Flag {
  readonly help: string
  /** Placeholder of the value; a flag without one is a switch. */
  readonly value?: string
  readonly required?: boolean
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** e.g. `ID PATH…`; an ellipsis means one or more, brackets mean optional. */
  readonly operands: string
  readonly flags: Readonly<Record<string, Flag>>
  readonly run: (input: Input) => Promise<ExitCode>
}

export interface Terminal {
  out(text: string): void
  /**
   * As `out`, resolving once the reader has taken it: for output longer than memory. Rejects when nobody reads any more.
   * Left out where `out` itself does not return before the text is taken.
   */
  outTaken?(text: string): Promise<void>
  err(text: string): void
  /** As `err`, resolving once the reader has taken it. Rejects when it cannot be written. Left out like `outTaken`. */
  errTaken?(text: string): Promise<void>
  /** A person watches stderr while stdout goes elsewhere, so a progress line is seen and spoils nothing. */
  readonly isWatched?: boolean
  /** Stderr is a terminal: a line may be drawn there as long as stdout is silent, and taken away before it speaks. */
  readonly drawsLines?: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface Input extends Required<Terminal> {
  readonly operands: readonly string[]
  /** Value of a flag that takes one. */
  text(flag: string): string | undefined
  /** The same, refused with exit 2 when missing. */
  need(flag: string): string
  on(flag: string): boolean
  readonly values: Readonly<Record<string, string | undefined>>
}

export const JSON_FLAG = { json: { help: "machine-readable output, version 1" } } as const satisfies Record<
  string,
  Flag
>
export const DATA_FLAG = {
  data: { help: "data directory (or BIZAUTH_DATA)", value: "DIR" },
} as const satisfies Record<string, Flag>

/** Reads the arguments of one command. Throws CommandError (2) with the nearest flag for an unknown one. */
export function readInput(command: Command, argv: readonly string[], terminal: Terminal): Input {
  const options = Object.fromEntries(
    Object.entries(command.flags).map(([name, flag]) => [
      name,
      { type: flag.value ? ("string" as const) : ("boolean" as const) },
    ]),
  )
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  } catch (error) {
    const unknown = error instanceof Error ? /'(--?[^'\s]+)/.exec(error.message)?.[1] : undefined
    const known = Object.keys(command.flags).map((name) => `--${name}`)
    if (unknown && !known.includes(unknown) && known.length > 0) {
      throw new CommandError(EXIT.USAGE, `unknown flag ${unknown}; did you mean ${nearest(unknown, known)}?`)
    }
    throw new CommandError(EXIT.USAGE, error instanceof Error ? error.message : "arguments cannot be read")
  }
  const values = parsed.values as Record<string, string | boolean | undefined>
  requireOperands(command, parsed.positionals)
  const text = (flag: string) => {
    const value = values[flag]
    return typeof value === "string" ? value : undefined
  }
  const need = (flag: string) => {
    const value = text(flag)
    if (value === undefined)
      throw new CommandError(EXIT.USAGE, `--${flag} is needed: ${command.flags[flag]?.help ?? ""}`)
    return value
  }
  for (const [name, flag] of Object.entries(command.flags)) if (flag.required) need(name)
  return {
    ...terminal,
    outTaken: terminal.outTaken ?? (async (text) => terminal.out(text)),
    errTaken: terminal.errTaken ?? (async (text) => terminal.err(text)),
    isWatched: terminal.isWatched ?? false,
    drawsLines: terminal.drawsLines ?? false,
    operands: parsed.positionals,
    text,
    need,
    on: (flag) => values[flag] === true,
    values: Object.fromEntries(Object.keys(values).map((name) => [name, text(name)])),
  }
}

function requireOperands(command: Command, given: readonly string[]): void {
  const words = command.operands.split(" ").filter((word) => word !== "")
  const least = words.filter((word) => !word.startsWith("[")).length
  const most = words.some((word) => word.includes("…")) ? Number.POSITIVE_INFINITY : words.length
  if (given.length < least || given.length > most) {
    throw new CommandError(EXIT.USAGE, `usage: bizauth ${command.name} ${command.operands}`.trimEnd())
  }
}
