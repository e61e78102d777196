/** docs/first-day.md, typed: every command of the page in its order, in a directory that is as empty as a fresh machine. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { sourceText } from "../../fixtures/imports.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { shellWords } from "../../fixtures/typed-lines.ts"

const page = sourceText("docs/first-day.md")
const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, text = ""]) => text.trim().split("\n"))
const machine = freshDirectory()
const at = (name: string) => join(machine.path, name)

beforeAll(() => {
  writeSampleLists(at("lists"), { publishedAt: Date.now() })
  writeFileSync(at("passphrase"), "a passphrase of many words\n", { mode: 0o600 })
  for (const folder of ["var/lib/bizauth", "var/backups/bizauth"]) mkdirSync(at(folder), { recursive: true })
})
afterAll(() => machine[Symbol.dispose]())

test("the page has a command for each step up to the restore", () => {
  expect(lines.length).toBeGreaterThanOrEqual(14)
  expect(lines.every((line) => line.startsWith("bizauth "))).toBe(true)
})

test.each(lines)(
  "%s",
  async (line) => {
    const [, ...words] = shellWords(line).map((word) => word.replace(/^\/var\//, `${machine.path}/var/`))
    const ran = await run(words, { cwd: machine.path })
    // No UK register is imported, so `check` names that, and the commands that mend it.
    const isCheck = words[0] === "check"
    expect([line, ran.exit, isCheck ? "" : ran.err.includes("error")]).toEqual([
      line,
      isCheck ? 8 : 0,
      isCheck ? "" : false,
    ])
    if (isCheck) expect(ran.out).toContain("UK_SANCTIONS_LIST")
  },
  30_000,
)

test("afterwards the service has its lists, its backup and a rehearsed restore", () => {
  for (const name of [
    "var/lib/bizauth/data/bizauth.db",
    "var/backups/bizauth/first.tar.zst",
    "var/lib/bizauth/rehearsal/bizauth.db",
  ])
    expect([name, existsSync(at(name))]).toEqual([name, true])
})
