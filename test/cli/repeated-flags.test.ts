/** A flag with one value that is given twice is refused before the command does anything, and a list keeps every value. */
import { describe, expect } from "bun:test"
import { EXIT } from "../../src/base/exit.ts"
import { allFlags, type Command, everyLoaded, type Flag, type Input } from "../../src/cli/command.ts"
import { commands as table } from "../../src/cli/commands.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { type Ran, runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const commands = await everyLoaded(table)

/** Runs the parser of a command, and instead of the command a function that keeps its input. */
async function parsed(command: Command, argv: readonly string[]): Promise<Ran & { readonly input: Input | null }> {
  let input: Input | null = null
  const watched: Command = {
    ...command,
    async run(given) {
      input = given
      return EXIT.DONE
    },
  }
  return { ...(await runCommand(watched, argv)), input }
}

const words = (command: Command): string[] =>
  command.operands.split(" ").filter((word) => word !== "" && !word.startsWith("["))

/** Every flag that the command needs, except `but`. */
const needed = (command: Command, but: string): string[] =>
  Object.entries(command.flags).flatMap(([name, flag]) =>
    flag.required === true && name !== but ? [`--${name}`, "x"] : [],
  )

const twice = (name: string, flag: Flag, [first, second]: readonly [string, string]): readonly string[][] =>
  flag.value === undefined
    ? [[`--${name}`, `--${name}`]]
    : [
        [`--${name}`, first, `--${name}`, second],
        [`--${name}=${first}`, `--${name}=${second}`],
        [`--${name}`, first, `--${name}=${second}`],
        [`--${name}=${first}`, `--${name}`, second],
      ]

describe.each(commands.map((command) => [command.name, command] as const))("%s", (_, command) => {
  const single = Object.entries(allFlags(command)).filter(([, { repeats }]) => !repeats)
  test.each(single)("--%s twice is exit 2 that names it", async (name, flag) => {
    for (const values of [["a", "b"] as const, ["a", "a"] as const, ["a", ""] as const]) {
      for (const given of twice(name, flag, values)) {
        for (const argv of [
          [...words(command), ...given, ...needed(command, name)],
          [...given, ...needed(command, name), ...words(command)],
          // The first fault of the line: it also lacks what the command needs.
          given,
        ]) {
          const { exit, err, input } = await parsed(command, argv)
          expect([argv, exit, input]).toEqual([argv, EXIT.USAGE, null])
          expect(err).toBe(`--${name} is given twice; give it once`)
        }
      }
    }
  })

  const lists = Object.entries(allFlags(command)).filter(([, { repeats }]) => repeats)
  if (lists.length > 0) {
    test.each(lists)("--%s twice keeps both values in their order", async (name, flag) => {
      for (const given of twice(name, flag, ["b", "a"])) {
        const { exit, input } = await parsed(command, [...words(command), ...given, ...needed(command, name)])
        expect(exit).toBe(EXIT.DONE)
        expect(input?.texts(name)).toEqual(["b", "a"])
        expect(input?.list(name)).toEqual(["b", "a"])
        // The reader of one value would hide the others.
        expect(() => input?.text(name)).toThrow()
        expect(() => input?.need(name)).toThrow()
      }
    })
  }

  test("a surplus operand is exit 2 with the usage", async () => {
    if (command.operands.includes("…")) return
    const most = command.operands.split(" ").filter((word) => word !== "").length
    const argv = [...Array.from({ length: most + 1 }, () => "x"), ...needed(command, "")]
    const { exit, err, input } = await parsed(command, argv)
    expect([exit, input]).toEqual([EXIT.USAGE, null])
    expect(err).toStartWith(`usage: bizauth ${command.name}`)
  })
})

const screen = commands.find(({ name }) => name === "screen") as Command

test("a short flag and its long form are the same flag", async () => {
  const serve = commands.find(({ name }) => name === "serve") as Command
  for (const argv of [["-v", "--verbose"], ["-vv"], ["-v", "-v"]]) {
    const { exit, err, input } = await parsed(serve, argv)
    expect([exit, input]).toEqual([EXIT.USAGE, null])
    expect(err).toBe("--verbose is given twice; give it once")
  }
})

test("what follows -- is no flag, so it is not a flag given twice", async () => {
  const { exit, input } = await parsed(screen, ["--type", "org", "--", "--type"])
  expect(exit).toBe(EXIT.DONE)
  expect(input?.operands).toEqual(["--type"])
  expect(input?.text("type")).toBe("org")
})

test("a flag given three times is named once", async () => {
  const { exit, err } = await parsed(screen, ["X", "--type=a", "--type=b", "--country=US", "--type=c"])
  expect(exit).toBe(EXIT.USAGE)
  expect(err).toBe("--type is given 3 times; give it once")
})
