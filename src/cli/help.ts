import { EXIT_MEANING } from "../exit.ts"
import type { Command } from "./command.ts"
import { commands } from "./commands.ts"

/** Prints help from the command table only. */
export async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()))
  const width = Math.max(...all.map(({ command }) => command.name.length))
  const lines = all.map(({ command }) => `  ${command.name.padEnd(width)}  ${command.summary}`)
  const codes = Object.entries(EXIT_MEANING).map(([code, meaning]) => `  ${code}  ${meaning}`)
  return `bizauth: verifiable authorization decisions for payments made by agents\n\n${lines.join("\n")}\n\nExit codes\n${codes.join("\n")}\n\nbizauth help COMMAND shows its flags.\n`
}

export function commandHelp(command: Command): string {
  const flags = Object.entries(command.flags).map(
    ([name, { help, value }]) => `  --${name}${value ? ` ${value}` : ""}\n      ${help}`,
  )
  const usage = `usage: bizauth ${command.name}${flags.length > 0 ? " [flags]" : ""} ${command.operands}`.trimEnd()
  return `${command.summary}\n\n${usage}\n${flags.length > 0 ? `\n${flags.join("\n")}\n` : ""}`
}
