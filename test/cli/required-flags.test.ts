/** Help marks every flag that a command needs. */
import { expect, test } from "bun:test"
import { commands } from "../../src/cli/commands.ts"
import { commandHelp } from "../../src/cli/help.ts"
import { codeOf, importsOf } from "../fixtures/imports.ts"

/** The file of a command with the files under `src/cli` that it imports, except those that every command shares. */
function filesOf(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const { to, typeOnly } of importsOf(path)) {
    if (!typeOnly && to.startsWith("src/cli/") && !SHARED.has(to)) filesOf(to, seen)
  }
  return seen
}

const SHARED = new Set(["src/cli/command.ts", "src/cli/inputs.ts", "src/cli/commands.ts"])

const tableFiles = importsOf("src/cli/commands.ts").filter(({ dynamic }) => dynamic)

test("the table names a file for each command", () => expect(tableFiles.length).toBe(Object.keys(commands).length))

test.each(Object.keys(commands).map((name, index) => [name, tableFiles[index]?.to ?? ""] as const))(
  "%s",
  async (name, path) => {
    const load = commands[name]
    if (!load) throw new Error("no such command")
    const { command } = await load()
    expect(command.name).toBe(name)
    const code = [...filesOf(path)].map(codeOf).join("\n")
    const opensData = /\b(needData|openData)\(/.test(code) && !/\bdataArgument\(/.test(code)
    const needed = [
      ...new Set([...code.matchAll(/\bneed\("([a-z-]+)"\)/g)].map(([, flag = ""]) => flag)),
      ...(opensData ? ["data"] : []),
    ]
    const unmarked = needed.filter((flag) => {
      const known = command.flags[flag]
      return known !== undefined && known.required === undefined
    })
    expect(unmarked).toEqual([])
    for (const [flag, { required, value }] of Object.entries(command.flags)) {
      if (required === undefined) continue
      const mark = required === true ? "required" : `required ${required}`
      expect(commandHelp(command)).toContain(`--${flag}${value ? ` ${value}` : ""}  (${mark}`)
    }
  },
)
