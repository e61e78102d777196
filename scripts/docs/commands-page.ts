import { EXIT_MEANING } from "../../src/base/exit.ts"
import { commands } from "../../src/cli/commands.ts"
import { GROUPS } from "../../src/cli/groups.ts"
import { commandHelp } from "../../src/cli/help.ts"
import { code, page, table } from "./markdown.ts"

/** Every command with its own help text, and the exit codes. */
export async function commandsPage(): Promise<string> {
  const all = (await Promise.all(Object.values(commands).map((load) => load()))).map(({ command }) => command)
  const rows = all.map(({ name, operands, summary }) => [code(`bizauth ${name} ${operands}`.trimEnd()), summary])
  const helps = all.map((command) => `### ${command.name}\n\n\`\`\`text\n${commandHelp(command).trimEnd()}\n\`\`\``)
  return page(
    "Commands",
    table(["command", "what it does"], rows),
    "## Groups",
    table(
      ["group", "what its commands are for"],
      Object.entries(GROUPS).map(([name, what]) => [code(name), what]),
    ),
    "## Exit codes",
    table(["exit", "meaning"], Object.entries(EXIT_MEANING)),
    "## Help of each command",
    ...helps,
  )
}
