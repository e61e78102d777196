/** The folder of scheduled backups, and when the service makes one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ChildEnd } from "../../../src/base/child-program.ts"
import { ConfigError } from "../../../src/base/config.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { HOUR, MINUTE } from "../../../src/core/time.ts"
import { backupName, backupsIn, removeOldBackups } from "../../../src/data/backup/backup-folder.ts"
import { type BackupPlan, backupPlan, nextBackupAt } from "../../../src/data/backup/backup-plan.ts"
import { backupSchedule } from "../../../src/data/backup/backup-schedule.ts"
import { backUpIntoFolder, requireFreeSpace } from "../../../src/data/backup/scheduled-backup.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"
import { ImportBusy, withLock } from "../../../src/sources/import/import-lock.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { defaults } from "../../fixtures/service.ts"

const root = freshDirectory()
const paths = dataPaths(join(root.path, "data"))
beforeAll(async () => {
  await createDataDirectory(paths.directory, "test", realMachine)
})
afterAll(() => root[Symbol.dispose]())

const AT = Date.UTC(2026, 10, 20, 10, 0, 5, 250)
let folders = 0
function plan(given: Partial<BackupPlan> = {}): BackupPlan {
  const folder = join(root.path, `folder-${folders++}`)
  return { folder, everyHours: 24, keep: 2, includesLists: false, ...given }
}
const at = (now: number) => ({ now: () => now })
const names = ({ folder }: BackupPlan) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".zst"))
    .sort()

describe("the folder", () => {
  test("names a backup by its time in UTC and reads the time from the name", () => {
    const { folder } = plan()
    mkdirSync(folder)
    expect(backupName(AT)).toBe("bizauth-backup-20261120T100005Z.tar.zst")
    for (const name of [
      backupName(AT),
      backupName(AT + HOUR),
      "notes.txt",
      "bizauth-backup-20261399T100005Z.tar.zst",
    ]) {
      writeFileSync(join(folder, name), "")
    }
    expect(backupsIn(folder).map((one) => one.at)).toEqual(
      [AT + HOUR, AT].map((time) => Math.floor(time / 1000) * 1000),
    )
    expect(backupsIn(join(folder, "none"))).toEqual([])
  })

  test("keeps the newest and never touches a file of another name", () => {
    const { folder } = plan()
    mkdirSync(folder)
    for (let day = 0; day < 5; day++) writeFileSync(join(folder, backupName(AT + day * 24 * HOUR)), "")
    writeFileSync(join(folder, "bizauth-backup-mine.tar.zst"), "")
    expect(removeOldBackups(folder, 2)).toHaveLength(3)
    expect(readdirSync(folder).sort()).toEqual([
      "bizauth-backup-20261123T100005Z.tar.zst",
      "bizauth-backup-20261124T100005Z.tar.zst",
      "bizauth-backup-mine.tar.zst",
    ])
  })
})

describe("a scheduled backup", () => {
  test("is made when the newest is old enough, and the oldest are removed after it", async () => {
    const daily = plan()
    for (const hours of [0, 23, 24, 30, 48, 72]) {
      await backUpIntoFolder(paths, daily, at(AT + hours * HOUR), { isForced: false })
    }
    expect(names(daily)).toEqual([backupName(AT + 48 * HOUR), backupName(AT + 72 * HOUR)])
  })

  test("removes what a killed one left under another name, and nothing else", async () => {
    const daily = plan()
    mkdirSync(daily.folder)
    const left = `${backupName(AT - HOUR)}.partial-4194304`
    for (const name of [left, `${left}.db`, `${left}.db-journal`, `${left}.notes`])
      writeFileSync(join(daily.folder, name), "")
    await backUpIntoFolder(paths, daily, at(AT), { isForced: false })
    expect(readdirSync(daily.folder).sort()).toEqual([".backup.lock", `${left}.notes`, backupName(AT)].sort())
  })

  test("is made at once when a person asks for one", async () => {
    const daily = plan()
    for (const minutes of [0, 1]) {
      const { outcome } = await backUpIntoFolder(paths, daily, at(AT + minutes * MINUTE), { isForced: true })
      expect(outcome).toBe("MADE")
    }
    expect(names(daily)).toHaveLength(2)
  })

  test("of three servers at once is one, and none of them fails", async () => {
    const daily = plan()
    const made = await Promise.all([1, 2, 3].map(() => backUpIntoFolder(paths, daily, at(AT), { isForced: false })))
    expect(names(daily)).toHaveLength(1)
    expect(made.map(({ outcome }) => outcome).sort()).toEqual(["BEING_MADE", "BEING_MADE", "MADE"])
  })

  test("waits for another process, and leaves nothing when it fails", async () => {
    const daily = plan()
    mkdirSync(daily.folder)
    await withLock(daily.folder, ".backup.lock", "busy", async () => {
      await expect(backUpIntoFolder(paths, daily, at(AT), { isForced: true })).rejects.toBeInstanceOf(ImportBusy)
    })
    const nowhere = { ...paths, database: join(root.path, "nowhere.db") }
    await expect(backUpIntoFolder(nowhere, daily, at(AT), { isForced: true })).rejects.toThrow()
    expect(readdirSync(daily.folder)).toEqual([".backup.lock"])
  })

  test("does not count a backup from the future, because the clock was wrong", () => {
    const daily = plan()
    mkdirSync(daily.folder)
    writeFileSync(join(daily.folder, backupName(AT + 400 * 24 * HOUR)), "")
    expect(nextBackupAt(daily, AT)).toBe(AT)
  })

  test("needs room for a copy of the database and for the file", () => {
    const huge = { ...paths, database: join(root.path, "huge.db") }
    Bun.spawnSync(["truncate", "-s", "900T", huge.database])
    // Some file systems have a smaller limit, and then the file is made empty.
    if ((statSync(huge.database, { throwIfNoEntry: false })?.size ?? 0) === 0) {
      Bun.spawnSync(["truncate", "-s", "8T", huge.database])
    }
    expect(() => requireFreeSpace(root.path, { paths: huge, includesLists: false })).toThrow(
      /a backup needs up to \d+ bytes free in .*, which has \d+: free some, or name another folder/,
    )
  })
})

/** Time that passes only when a test says so. */
function manualMachine() {
  let at = AT
  let timers: { readonly due: number; readonly run: () => void }[] = []
  return {
    ...realMachine,
    now: () => at,
    monotonic: () => at,
    after: (ms: number, run: () => void) => {
      const timer = { due: at + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    async advance(ms: number): Promise<void> {
      at += ms
      const due = timers.filter((timer) => timer.due <= at)
      timers = timers.filter((timer) => timer.due > at)
      for (const { run } of due) run()
      // The round ends before the next minute.
      await Bun.sleep(0)
    },
  }
}

describe("the schedule of a service", () => {
  function scheduled(end: ChildEnd, onRun: () => void = () => {}) {
    const machine = manualMachine()
    const lines: Record<string, unknown>[] = []
    const log = createLog("info", (line) => lines.push(JSON.parse(line) as Record<string, unknown>), machine.now)
    const daily = plan()
    let runs = 0
    const worker = backupSchedule({
      plan: daily,
      machine,
      log,
      backUp: async () => {
        runs++
        onRun()
        return end
      },
    })
    worker.start()
    const pass = async (ms: number) => {
      for (let left = ms; left > 0; left -= MINUTE) await machine.advance(MINUTE)
    }
    return { machine, lines, daily, worker, pass, runs: () => runs }
  }

  test("runs a backup that is due, and no other before its time", async () => {
    const one = scheduled({ exit: 0, timedOut: false, said: "" }, () => {
      mkdirSync(one.daily.folder, { recursive: true })
      writeFileSync(join(one.daily.folder, backupName(one.machine.now())), "")
    })
    await one.pass(24 * HOUR)
    expect(one.runs()).toBe(1)
    await one.pass(HOUR)
    expect(one.runs()).toBe(2)
    expect(one.lines.map(({ event }) => event)).toEqual(["backup_made", "backup_made"])
    await one.worker.stop()
  })

  test("logs a failure and tries again after ten minutes", async () => {
    const one = scheduled({ exit: 7, timedOut: false, said: "no room" })
    await one.pass(9 * MINUTE)
    expect(one.runs()).toBe(1)
    expect(one.lines).toEqual([
      expect.objectContaining({ level: "error", event: "backup_failed", exit: 7, said: "no room" }),
    ])
    await one.pass(4 * MINUTE)
    expect(one.runs()).toBe(2)
    await one.worker.stop()
  })
})

describe("the settings", () => {
  test("without a folder make no backup", () => expect(backupPlan(defaults())).toBeNull())
  test("are read together", () =>
    expect(backupPlan(defaults({ backup_dir: "/b", backup_every: "6", backup_lists: "on" }))).toEqual({
      folder: "/b",
      everyHours: 6,
      keep: 14,
      includesLists: true,
    }))
  test.each([
    [{ backup_every: "6" }, "backup_every needs backup_dir"],
    // Only the text "0" says that no backups are wanted.
    [{ backup_every: "00" }, "backup_every needs backup_dir"],
    [{ backup_dir: "b" }, "backup_dir must be an absolute path"],
  ])("%j is refused", (given, message) => {
    expect(() => backupPlan(defaults(given))).toThrow(ConfigError)
    expect(() => backupPlan(defaults(given))).toThrow(message)
  })
})
