/** The database from before an upgrade comes back whole, and what happened since is not taken for known. */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { migrations } from "../../../db/migrations.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as restoreCommand } from "../../../src/cli/restore.ts"
import { command as upgradeCheck } from "../../../src/cli/upgrade/check.ts"
import { DOWNGRADE_STEPS, restoreBeforeUpgrade } from "../../../src/data/backup/restore-before-upgrade.ts"
import { makeBackup } from "../../../src/data/backup/write-backup.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { DataPaths } from "../../../src/data/data-paths.ts"
import { readSizeRecord } from "../../../src/data/log-size-record.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { HAS_RECOVERY, recovering } from "../../fixtures/wal-recovery.ts"
import { digestOf, killed, opened } from "./restore-bench.ts"

const test = slowTests(import.meta.path)

/** Some tests start processes, on a machine that may be busy. */
setDefaultTimeout(60_000)

const root = freshDirectory()
const at = (name: string) => join(root.path, name)
const file = at("backup.tar.zst")
beforeAll(async () => {
  const { paths } = await createDataDirectory(at("data"), "test", realMachine)
  await makeBackup({ paths, file, includesLists: true, passphrase: null }, { machine: realMachine })
})
afterAll(() => root[Symbol.dispose]())

/** A directory that the last migration upgraded, and its copy of before. */
async function upgraded(folder: string): Promise<DataPaths> {
  const { paths: made } = await createDataDirectory(folder, "test", realMachine, { logHost: "svc.example" })
  const last = migrations.at(-1)
  if (!last) throw new Error("there are no migrations")
  // As before the last migration: its row is gone. What it made stays, which no test here looks at.
  const copy = `${made.database}.before-${String(last.ordinal).padStart(4, "0")}`
  const database = new Database(made.database)
  database.query("VACUUM INTO ?1").run(copy)
  database.close()
  const before = new Database(copy)
  before.query("DELETE FROM schema_migration WHERE ordinal = ?1").run(last.ordinal)
  before.close()
  return made
}

describe("restore --before-upgrade", () => {
  test("is refused for a database that was moved", async () => {
    const made = await upgraded(at("moved"))
    const mark = { id: "1", at: "2026-11-29T00:00:00.000Z", other: "the database shop", is_complete: true }
    const database = new Database(made.database)
    database.query("INSERT INTO meta (name, value) VALUES ('moved_to', ?1)").run(JSON.stringify(mark))
    database.close()
    const before = readdirSync(made.directory).toSorted()
    expect(await runCommand(restoreCommand, ["--before-upgrade", "--data", made.directory])).toMatchObject({
      exit: EXIT.DATA,
      err: expect.stringContaining("was moved to the database shop"),
    })
    expect(readdirSync(made.directory).toSorted()).toEqual(before)
  })

  test("puts the copy back, keeps the newer database, and marks the restore", async () => {
    const made = await upgraded(at("upgraded"))
    const done = await restoreBeforeUpgrade(made, { machine: realMachine })
    expect(done.migration).toBe(migrations.at(-1)?.name ?? "")
    expect([existsSync(done.newer), existsSync(done.copy)]).toEqual([true, true])
    const database = new Database(made.database, { readonly: true })
    expect(database.query("SELECT count(*) AS rows FROM schema_migration").get()).toEqual({
      rows: migrations.length - 1,
    })
    expect(database.query("SELECT value FROM meta WHERE name = 'log_origin'").get()).toEqual({
      value: "svc.example/agent-id/log/2",
    })
    expect(
      database.query<{ value: string }, []>("SELECT value FROM meta WHERE name = 'restores'").get()?.value,
    ).toContain(done.upgradedAt)
    database.close()
    expect(readSizeRecord(made.directory)?.size).toBe(3)
  })

  test("is refused while another process has the database open", async () => {
    const made = await upgraded(at("running"))
    const server = new Database(made.database)
    server.run("PRAGMA journal_mode = WAL")
    server.query("SELECT 1 FROM meta").get()
    await expect(restoreBeforeUpgrade(made, { machine: realMachine })).rejects.toThrow("stop the service first")
    server.close()
    await restoreBeforeUpgrade(made, { machine: realMachine })
  })

  test.skipIf(!HAS_RECOVERY)("is refused while another process recovers the log of a killed one", async () => {
    const made = await upgraded(at("recovering"))
    await using _ = await recovering(made.database, 300)
    await expect(restoreBeforeUpgrade(made, { machine: realMachine })).rejects.toThrow("stop the service first")
  })

  test("is refused without a copy", async () => {
    const { paths: made } = await createDataDirectory(at("copyless"), "test", realMachine)
    const ran = await runCommand(restoreCommand, ["--before-upgrade", "--data", made.directory])
    expect([ran.exit, ran.err]).toEqual([EXIT.DATA, expect.stringContaining("no copy of a database before an upgrade")])
  })

  test.each([...DOWNGRADE_STEPS])(
    "that is killed before %s leaves the newer database, and the next one succeeds",
    async (step) => {
      using folder = freshDirectory()
      const made = await upgraded(join(folder.path, "data"))
      expect(await killed("downgrade", made.directory, "", step)).toBe("SIGKILL")
      await opened(made.directory, async ({ applied }) => expect(applied).toEqual([]))
      await restoreBeforeUpgrade(made, { machine: realMachine })
      expect(readdirSync(made.directory).filter((name) => name.includes("restoring"))).toEqual([])
    },
  )
})

describe("upgrade check", () => {
  test("says what this release would change, and changes nothing", async () => {
    const made = await upgraded(at("checked"))
    cpSync(`${made.database}.before-${String(migrations.length).padStart(4, "0")}`, at("old.db"))
    for (const [path, changes] of [
      [made.directory, "changes  nothing"],
      [at("old.db"), `applies  ${migrations.at(-1)?.name}: `],
      [file, "changes  nothing"],
    ] as const) {
      const before = digestOf(made.directory)
      const { exit, out } = await runCommand(upgradeCheck, [path])
      expect([exit, out]).toEqual([EXIT.DONE, expect.stringContaining(changes)])
      expect(digestOf(made.directory)).toBe(before)
    }
  })

  test("of another file, or of none, is not possible", async () => {
    writeFileSync(at("notes.txt"), "a text that is longer than a page of nothing")
    expect((await runCommand(upgradeCheck, [at("notes.txt")])).exit).toBe(EXIT.NOT_CHECKED)
    expect((await runCommand(upgradeCheck, [at("nowhere")])).exit).toBe(EXIT.NOT_CHECKED)
  })
})
