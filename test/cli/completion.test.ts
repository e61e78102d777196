/** Completion and manual page are printed from the command table, and bash and groff accept them. */
import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../src/base/exit.ts"
import { allFlags, everyLoaded, exampleOf } from "../../src/cli/command.ts"
import { commands } from "../../src/cli/commands.ts"
import { command as completion } from "../../src/cli/completion.ts"
import { completionScript } from "../../src/cli/completion-script.ts"
import { GROUPS } from "../../src/cli/groups.ts"
import { command as man, manualPage } from "../../src/cli/man.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const all = await everyLoaded(commands)

test("every group of the command table says what its commands are for, and no other does", () => {
  const found = Object.keys(commands)
    .filter((name) => name.includes(" "))
    .map((name) => name.split(" ")[0] ?? "")
    // A command may also have sub-commands.
    .filter((name) => commands[name] === undefined)
  expect(Object.keys(GROUPS).sort()).toEqual([...new Set(found)].sort())
})

describe("bash", () => {
  /** What bash offers after the words; the last word is being typed. */
  function offered(...words: readonly string[]): readonly string[] {
    using folder = freshDirectory()
    const script = join(folder.path, "completion.bash")
    writeFileSync(script, completionScript("bash", all))
    const list = words.map((word) => `'${word}'`).join(" ")
    const typed = `source '${script}'; COMP_WORDS=(bizauth ${list}); COMP_CWORD=${words.length}; compopt() { :; }; _bizauth; printf '%s\\n' "\${COMPREPLY[@]}"`
    const ran = Bun.spawnSync(["bash", "-c", typed], { stdout: "pipe", stderr: "pipe" })
    expect(ran.stderr.toString()).toBe("")
    return ran.stdout
      .toString()
      .split("\n")
      .filter((line) => line !== "")
  }

  test("offers groups and commands, then the commands of a group", () => {
    expect(offered("ser")).toEqual(["serve"])
    expect(offered("agent", "job", "")).toEqual(expect.arrayContaining(["draft", "bind", "verify", "schema"]))
    expect(offered("keys", "r")).toEqual(["rotate", "revoke", "replace-hmac"])
  })

  test("offers the flags of the command, also after operands and other flags", () => {
    expect(offered("agent", "quote", "--se")).toEqual(["--server"])
    expect(offered("sources", "import", "US_OFAC_SDN", "--publ")).toEqual(["--published-at"])
    expect(offered("backup", "verify", "--exp")).toEqual(["--expect"])
    expect(offered("version", "--")).toEqual(["--verify", "--sums", "--release-key", "--json"])
  })

  test("offers nothing after a flag that takes a value, so that files complete", () => {
    expect(offered("agent", "quote", "--request", "")).toEqual([])
  })
})

test.each(["bash", "zsh", "fish"] as const)("the script for %s names every command and flag", (shell) => {
  const script = completionScript(shell, all)
  for (const one of all) {
    for (const word of one.name.split(" ")) expect(script).toContain(word)
    for (const flag of Object.keys(allFlags(one))) expect(script).toContain(flag)
  }
})

for (const shell of ["zsh", "fish"] as const) {
  const isHere = Bun.which(shell) !== null
  test.skipIf(!isHere)(`${isHere ? "" : `NOT RUN, no ${shell} here: `}${shell} reads its script`, () => {
    using folder = freshDirectory()
    const file = join(folder.path, "script")
    writeFileSync(file, completionScript(shell, all))
    expect(Bun.spawnSync([shell, "-n", file]).exitCode).toBe(0)
  })
}

const fish = Bun.which("fish")
test.skipIf(fish === null)(
  fish === null ? "NOT RUN, no fish here: fish offers commands and flags" : "fish offers commands and flags",
  () => {
    using folder = freshDirectory()
    const file = join(folder.path, "completion.fish")
    writeFileSync(file, completionScript("fish", all))
    const offered = (typed: string) =>
      Bun.spawnSync(["fish", "-c", `source ${file}; complete -C "${typed}"`], { stdout: "pipe" })
        .stdout.toString()
        .split("\n")
        .map((line) => line.split("\t")[0])
        .filter((word) => word !== "")
    expect(offered("bizauth agent quo")).toEqual(["quote"])
    expect(offered("bizauth agent quote --ser")).toEqual(["--server"])
    expect(offered("bizauth sources import US_OFAC_SDN --publ")).toEqual(["--published-at"])
  },
)

test("an unknown shell is refused with the known ones", async () => {
  expect(await runCommand(completion, ["powershell"])).toMatchObject({
    exit: EXIT.USAGE,
    err: "no completion for powershell; known: bash, zsh, fish",
  })
})

describe("the manual page", () => {
  test("has every command, own flag, exit code and example", () => {
    const page = manualPage(all).replaceAll("\\-", "-").replaceAll("\\(aq", "'").replaceAll("\\(dq", '"')
    for (const one of all) {
      expect(page).toContain(`.B bizauth ${one.name} `)
      for (const [flag, { isSetting }] of Object.entries(one.flags))
        if (!isSetting) expect(page).toContain(`.B --${flag}`)
      for (const { line } of one.examples.map(exampleOf)) expect(page).toContain(`.B bizauth ${line}`)
    }
  })

  const groff = Bun.which("groff")
  test.skipIf(groff === null)(
    groff === null ? "NOT RUN, no groff here: groff reads it" : "is read by groff without a warning",
    async () => {
      const { out } = await runCommand(man, [])
      const ran = Bun.spawnSync(["groff", "-man", "-Tutf8", "-P-cbou", "-ww"], {
        stdin: Buffer.from(out),
        stdout: "pipe",
        stderr: "pipe",
      })
      expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, ""])
      // A reader copies the examples from the formatted page.
      const page = ran.stdout.toString()
      const lines = all.flatMap((one) => one.examples.map((example) => `bizauth ${exampleOf(example).line}`))
      expect(lines.filter((line) => !page.includes(line))).toEqual([])
    },
  )
})
