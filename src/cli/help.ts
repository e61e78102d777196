/** Prints help from the command table only. */
import { EXIT, EXIT_MEANING, type ExitCode } from "../base/exit.ts"
import { allFlags, type Command, type CommandTable, type Example, exampleOf, type Flag } from "./command.ts"
import { FIRST_COMMANDS, GROUPS } from "./groups.ts"

/** The first steps, the single commands, the groups and the exit codes. Loads only the commands that it prints. */
export async function overview(commands: CommandTable): Promise<string> {
  const single = Object.keys(commands).filter((name) => !name.includes(" "))
  const groups = Object.entries(GROUPS).map(([name, what]) => [`${name} …`, what] as const)
  return `bizauth: verifiable authorization decisions for payments made by agents

usage: bizauth COMMAND [flags]

First
${columns(await summaries(commands, FIRST_COMMANDS))}
Commands
${columns(await summaries(commands, single))}
Groups of commands
${columns(groups)}
Exit codes
${columns(Object.entries(EXIT_MEANING))}
bizauth help COMMAND shows flags and examples, bizauth help GROUP the commands of a group, bizauth help --all every command.
`
}

/** Every command with its summary. */
export async function everyCommand(commands: CommandTable): Promise<string> {
  return columns(await summaries(commands, Object.keys(commands)))
}

/** Null when no command begins with these words. */
export async function groupHelp(commands: CommandTable, words: string): Promise<string | null> {
  const names = Object.keys(commands).filter((name) => name.startsWith(`${words} `))
  if (names.length === 0) return null
  const about = GROUPS[words]
  return `bizauth ${words}${about === undefined ? "" : `: ${about}`}

${columns(await summaries(commands, names))}
bizauth help ${words} COMMAND shows flags and examples.
`
}

async function summaries(commands: CommandTable, names: readonly string[]): Promise<(readonly [string, string])[]> {
  const loaded = await Promise.all(names.map((name) => commands[name]?.()))
  return loaded.flatMap((module) => (module ? [[module.command.name, module.command.summary] as const] : []))
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join("")
}

export function usageOf(command: Command): string {
  return `bizauth ${command.name} [flags] ${command.operands}`.trimEnd()
}

/** Summary, usage, own flags with the required ones first, examples, and last the flags of the server's settings. */
export function commandHelp(command: Command): string {
  const flags = Object.entries(allFlags(command))
  const own = flags.filter(([, flag]) => !flag.isSetting)
  const settings = flags.filter(([, flag]) => flag.isSetting)
  const needed = own.filter(([, flag]) => flag.required === true)
  const optional = own.filter(([, flag]) => flag.required !== true)
  return `${command.summary}

usage: ${usageOf(command)}

${lines([...needed, ...optional])}
Examples
${command.examples.map(printedExample).join("")}${
  settings.length === 0
    ? ""
    : `\nSettings of the server, each also a variable and a key of bizauth.toml\n${lines(settings)}`
}`
}

function printedExample(example: Example): string {
  const { line, exit } = exampleOf(example)
  return `  bizauth ${line}\n${exit === EXIT.DONE ? "" : `      ${exitNote(exit)}\n`}`
}

/** Says how an example ends that does not end with 0. */
export function exitNote(exit: ExitCode): string {
  return `ends with ${exit}: ${EXIT_MEANING[exit]}`
}

function lines(flags: readonly (readonly [string, Flag])[]): string {
  return flags
    .map(
      ([name, flag]) =>
        `  ${flag.short ? `-${flag.short}, ` : ""}--${name}${flag.value ? ` ${flag.value}` : ""}${mark(flag)}\n      ${flag.help}\n`,
    )
    .join("")
}

function mark({ required, repeats }: Flag): string {
  const marks = [
    ...(required === true ? ["required"] : required === undefined ? [] : [`required ${required}`]),
    ...(repeats ? ["may be given several times"] : []),
  ]
  return marks.length === 0 ? "" : `  (${marks.join("; ")})`
}
