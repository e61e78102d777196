/** A backup that is killed at any step leaves the file of before or none, and the next one succeeds. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { checkBackup } from "../../../src/data/backup/read-backup.ts"
import { BACKUP_STEPS } from "../../../src/data/backup/write-backup.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** Each test starts two processes, on a machine that may be busy. */
setDefaultTimeout(60_000)

const root = freshDirectory()
const data = join(root.path, "data")
beforeAll(async () => {
  await createDataDirectory(data, "test", realMachine)
})
afterAll(() => root[Symbol.dispose]())

async function backup(file: string, step: string) {
  const script = join(import.meta.dir, "backup-process.ts")
  const child = Bun.spawn([process.execPath, script, data, file, step], { stdout: "ignore", stderr: "inherit" })
  await child.exited
  return child.signalCode ?? child.exitCode
}

const KILLED = 2

test.each(sample(BACKUP_STEPS, KILLED))(
  `${howMany(BACKUP_STEPS.length, KILLED)} moments: killed before %s`,
  async (step) => {
    using folder = freshDirectory()
    const file = join(folder.path, "b.tar.zst")
    writeFileSync(file, "the file of before")
    expect(await backup(file, step)).toBe("SIGKILL")
    expect(readFileSync(file, "utf8")).toBe("the file of before")
    expect(await backup(file, "none")).toBe(0)
    expect(readdirSync(folder.path)).toEqual(["b.tar.zst"])
    expect((await checkBackup(file, { passphrase: null })).manifest.members.length).toBe(3)
  },
)
