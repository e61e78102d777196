/** Every command that README and the pages under docs/ print is one of the program, with flags that it has. */
import { describe, expect, test } from "bun:test"
import { CommandError } from "../src/base/exit.ts"
import { readInput } from "../src/cli/command.ts"
import { findCommand } from "../src/cli/commands.ts"
import { pages, readme } from "./fixtures/doc-pages.ts"
import { sourceText } from "./fixtures/imports.ts"
import { shellWords } from "./fixtures/typed-lines.ts"

const packageJson = JSON.parse(sourceText("package.json"))

/** Every `bizauth …` in the fenced shell blocks, with continuation lines joined and anything after a pipe, redirect or `&&` removed. */
function commandLines(): string[] {
  const fenced = [...pages.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "")
  return fenced
    .flatMap((text) => text.replaceAll("\\\n", " ").split("\n"))
    .flatMap((line) => line.split(/\s&&\s|\s\|\s/))
    .map((line) => line.replace(/\s+(#|>).*$/, "").trim())
    .filter((line) => line.startsWith("bizauth "))
}

/** Every `bizauth …` between backquotes, even across a line break. `help` is not in the table. */
function inlineCommands(): string[] {
  const named = [...pages.matchAll(/(?<!`)`(bizauth\s[^`]+)`(?!`)/g)].map(([, line = ""]) => line.replace(/\s+/g, " "))
  return named.filter((line) => !line.startsWith("bizauth help "))
}

describe("printed commands", () => {
  const terminal = { out: () => {}, err: () => {}, environment: {} }
  test("the fenced blocks contain enough commands to make the rows meaningful", () =>
    expect(commandLines().length).toBeGreaterThan(20))
  test.each([...new Set(commandLines())])("%s", async (line) => {
    const found = findCommand(shellWords(line).slice(1))
    if (!found) throw new Error("no such command")
    const { command } = await found.load()
    expect(() => readInput(command, found.rest, terminal)).not.toThrow(CommandError)
  })

  const inText = [...new Set(inlineCommands())]
  test("the running text contains enough commands to make its rows meaningful", () =>
    expect(inText.length).toBeGreaterThan(20))
  test.each(inText)("in the text: %s", async (line) => {
    const found = findCommand(shellWords(line).slice(1))
    if (!found) throw new Error("no such command")
    const { command } = await found.load()
    const known = Object.keys(command.flags)
    const flags = [...line.matchAll(/(?<=\s)--([a-z-]+)/g)].map(([, name = ""]) => name)
    expect(flags.filter((name) => !known.includes(name))).toEqual([])
  })

  test("the printed ways to run everything are scripts of package.json, with the pinned version", () => {
    for (const script of ["demo", "check"]) {
      expect(readme).toContain(`npx --yes --allow-scripts=bun ${packageJson.packageManager} run ${script}`)
      expect(readme).toContain(`bun run ${script}`)
      expect(Object.keys(packageJson.scripts)).toContain(script)
    }
  })
})
