/** Types one example, in this process where the line allows it, because a process for each of a hundred lines would take a minute. */
import { findCommand } from "../../../src/cli/commands.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { type CommandFolder, shellWords } from "../../fixtures/typed-lines.ts"

export interface Shown {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A shell expands something in the line, or the command reads standard input. */
const needsShell = (line: string) => line.includes("$(") || line.startsWith("mcp ")

/** The working directory of this process must be this folder. `line` is without the word `bizauth`. */
export function typeExample(line: string, place: CommandFolder): Promise<Shown> {
  return needsShell(line) ? inShell(line, place) : here(line, place)
}

async function inShell(line: string, { folder, environment }: CommandFolder): Promise<Shown> {
  const child = Bun.spawn(["bash", "-c", `bizauth ${line}`], {
    cwd: folder,
    env: environment,
    stdin: Buffer.from(`${JSON.stringify(INITIALIZE)}\n`),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exit, out, err }
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "example", version: "1" } },
}

async function here(line: string, { environment }: CommandFolder): Promise<Shown> {
  const found = findCommand(shellWords(line))
  if (!found) throw new Error(`no command begins "${line}"`)
  const { command } = await found.load()
  return runCommand(command, found.rest, environment)
}
