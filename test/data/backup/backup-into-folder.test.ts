/** `bizauth backup` into the folder of scheduled backups: what it says and its exit code. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command } from "../../../src/cli/backup/backup.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { withLock } from "../../../src/sources/import/import-lock.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

let fresh: ReturnType<typeof freshDirectory>
let folder: string
beforeEach(async () => {
  fresh = freshDirectory()
  folder = join(fresh.path, "backups")
  await createDataDirectory(join(fresh.path, "data"), "test", realMachine)
})
afterEach(() => fresh[Symbol.dispose]())

const backUp = (...flags: string[]) =>
  runCommand(command, [...flags, "--data", join(fresh.path, "data"), "--backup-dir", folder, "--backup-every", "24"])

test("a backup that is not due is no failure", async () => {
  const made = await backUp("--if-due", "--json")
  expect([made.exit, JSON.parse(made.out).made]).toEqual([0, true])
  expect(await backUp("--if-due")).toEqual({ exit: 0, out: `no backup is due in ${folder}\n`, err: "" })
  expect(JSON.parse((await backUp("--if-due", "--json")).out)).toEqual({ version: 1, made: false })
})

test("while another process makes one, a due backup is no failure, and a backup by hand exits with 7", async () => {
  mkdirSync(folder)
  await withLock(folder, ".backup.lock", "held by the test", async () => {
    const text = `another process makes a backup into ${folder} now\n`
    expect(await backUp("--if-due")).toEqual({ exit: 0, out: text, err: "" })
    const byHand = await backUp()
    expect([byHand.exit, byHand.err]).toEqual([7, "another process makes a backup into this folder"])
  })
  expect((await backUp("--if-due", "--json")).exit).toBe(0)
})
