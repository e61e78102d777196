/** A restore makes a whole data directory that knows that it was restored, or nothing. */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as restoreCommand } from "../../../src/cli/restore.ts"
import { command as upgradeCheck } from "../../../src/cli/upgrade/check.ts"
import { instant } from "../../../src/core/time.ts"
import { BackupRefusal } from "../../../src/data/backup/backup-refusal.ts"
import { RESTORE_STEPS, restoreBackup, TargetRefused } from "../../../src/data/backup/restore-backup.ts"
import { makeBackup } from "../../../src/data/backup/write-backup.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { type DataPaths, dataPaths } from "../../../src/data/data-paths.ts"
import { readSizeRecord } from "../../../src/data/log-size-record.ts"
import { earlierOrigins, logOrigin } from "../../../src/store/log/log-origin.ts"
import { restores, voidBefore } from "../../../src/store/restores.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { killed, opened } from "./restore-bench.ts"

const test = slowTests(import.meta.path)

/** Some tests start processes, on a machine that may be busy. */
setDefaultTimeout(60_000)

const PASSPHRASE = "correct horse battery"
const root = freshDirectory()
const at = (name: string) => join(root.path, name)
const file = at("backup.tar.zst")
let paths: DataPaths

interface Given {
  readonly requireNewest?: () => Promise<void>
  readonly file?: string
}

/** Without the passphrase, because its key is slow on purpose. */
const restoreKeyless = (directory: string, given: Given = {}) =>
  restoreBackup({ file, directory, requireNewest: null, passphrase: null, ...given }, { machine: realMachine })

/** A restore, and the keys from another place. */
async function restore(directory: string, given: Given = {}) {
  const restored = await restoreKeyless(directory, given)
  cpSync(paths.keys, join(directory, "keys"), { recursive: true })
  return restored
}

beforeAll(async () => {
  ;({ paths } = await createDataDirectory(at("data"), "test", realMachine, { logHost: "svc.example" }))
  const snapshot = join(paths.snapshots, "US_OFAC_SDN", "snp_1")
  mkdirSync(snapshot, { recursive: true })
  writeFileSync(join(snapshot, "sdn.xml"), "<sdn/>")
  await makeBackup(
    { paths, file, includesLists: true, passphrase: PASSPHRASE },
    { machine: realMachine, workFactor: 10 },
  )
})
afterAll(() => root[Symbol.dispose]())

describe("a restored directory", () => {
  test("opens, has every file with its mode, and says when it was restored from which moment", async () => {
    const order = { file, directory: at("whole"), requireNewest: null, passphrase: PASSPHRASE }
    const restored = await restoreBackup(order, { machine: realMachine })
    expect(restored.keysMissing).toEqual([])
    expect(readFileSync(join(at("whole"), "snapshots/US_OFAC_SDN/snp_1/sdn.xml"), "utf8")).toBe("<sdn/>")
    for (const name of readdirSync(at("whole"), { recursive: true }) as string[]) {
      const found = statSync(join(at("whole"), name))
      expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600])
    }
    await opened(at("whole"), async ({ store }) => {
      const [only] = await store.read(restores)
      expect(only).toEqual({
        backup_at: restored.manifest.created_at,
        restored_at: restored.restoredAt,
        newest_declared_at: null,
      })
      expect(await store.read(voidBefore)).toBe(instant(restored.restoredAt))
    })
  })

  test("continues the log under the next name, and names the old one with its last size and the reason", async () => {
    const { log, manifest, restoredAt } = await restore(at("renamed"))
    expect([log.originBefore, log.origin]).toEqual(["svc.example/agent-id/log/1", "svc.example/agent-id/log/2"])
    await opened(at("renamed"), async ({ store }) => {
      expect(await store.read(earlierOrigins)).toEqual([
        {
          origin: "svc.example/agent-id/log/1",
          tree_size: 3,
          root_hash: Buffer.from(manifest.log.root_hash, "hex").toString("base64"),
          replaced_at: restoredAt,
          why: `restored from a backup of ${manifest.created_at}`,
        },
      ])
    })
    expect(readSizeRecord(at("renamed"))?.size).toBe(3)
  })

  test("of a backup that is the newest state has nothing void and keeps the name of its log", async () => {
    await restore(at("newest"), { requireNewest: async () => {} })
    await opened(at("newest"), async ({ store }) => {
      expect(await store.read(voidBefore)).toBeNull()
      expect(await store.read(logOrigin)).toBe("svc.example/agent-id/log/1")
    })
  })

  test("can be backed up and restored again; each restore stays known", async () => {
    await restore(at("first"))
    const second = at("second.tar.zst")
    await makeBackup(
      { paths: dataPaths(at("first")), file: second, includesLists: true, passphrase: null },
      { machine: realMachine },
    )
    await restore(at("second"), { file: second })
    await opened(at("second"), async ({ store }) => {
      expect(await store.read(restores)).toHaveLength(2)
      expect(await store.read(logOrigin)).toBe("svc.example/agent-id/log/3")
    })
  })

  test("without keys names each file that is missing, and opens when they are back", async () => {
    const { keysMissing } = await restoreKeyless(at("keyless"))
    expect(keysMissing).toHaveLength(5)
    for (const path of keysMissing) expect(path).toStartWith(join(at("keyless"), "keys"))
    await expect(opened(at("keyless"), async () => {})).rejects.toThrow("is missing")
    cpSync(paths.keys, join(at("keyless"), "keys"), { recursive: true })
    await opened(at("keyless"), async ({ environment }) => expect(environment).toBe("test"))
  })
})

describe("a restore is refused", () => {
  test("into a directory that is not empty, or beside none", async () => {
    mkdirSync(at("used"))
    writeFileSync(join(at("used"), "thesis.txt"), "mine")
    await expect(restore(at("used"))).rejects.toThrow(/is not empty; a restore never changes a data directory/)
    await expect(restore(join(at("used"), "thesis.txt"))).rejects.toThrow("is not a directory")
    await expect(restore(at("none/deeper"))).rejects.toBeInstanceOf(TargetRefused)
    expect(readdirSync(at("used"))).toEqual(["thesis.txt"])
  })

  test("into an empty directory it is not", async () => {
    mkdirSync(at("empty"))
    await restore(at("empty"))
    expect(existsSync(join(at("empty"), "bizauth.db"))).toBe(true)
  })

  test("from a damaged file, and leaves nothing", async () => {
    const bytes = readFileSync(file)
    // One bit may be of those that zstd does not read.
    const middle = Math.floor(bytes.length / 2)
    for (let place = middle; place < middle + 16; place++) bytes[place] = ~(bytes[place] ?? 0)
    writeFileSync(at("bad.tar.zst"), bytes)
    await expect(restore(at("bad"), { file: at("bad.tar.zst") })).rejects.toBeInstanceOf(BackupRefusal)
    expect(readdirSync(root.path).filter((name) => name.startsWith("bad"))).toEqual(["bad.tar.zst"])
  })

  test("from a backup whose quote key is not that of its database, with both fingerprints", async () => {
    cpSync(at("data"), at("mixed"), { recursive: true })
    const mixed = dataPaths(at("mixed"))
    writeFileSync(mixed.quoteKey, new Uint8Array(32).fill(5))
    const sealed = at("mixed.tar.zst")
    const order = { paths: mixed, file: sealed, includesLists: false, passphrase: PASSPHRASE }
    await makeBackup(order, { machine: realMachine, workFactor: 10 })
    const refused = restoreBackup(
      { file: sealed, directory: at("from-mixed"), requireNewest: null, passphrase: PASSPHRASE },
      { machine: realMachine },
    )
    await expect(refused).rejects.toMatchObject({ kind: "KEYS" })
    await expect(refused).rejects.toThrow(
      /quote-hmac\.key has the fingerprint [0-9a-f]{16}, and the database [0-9a-f]{16}\. Copy keys\//,
    )
    expect(readdirSync(root.path).filter((name) => name.startsWith("from-mixed"))).toEqual([])
  })

  test("from a backup whose database is of a newer release", async () => {
    cpSync(at("data"), at("future"), { recursive: true })
    const database = new Database(join(at("future"), "bizauth.db"))
    database.run("INSERT INTO schema_migration VALUES (9999, '9999_future', 'x', '2027-01-01T00:00:00Z')")
    database.close()
    const newer = at("newer.tar.zst")
    await makeBackup(
      { paths: dataPaths(at("future")), file: newer, includesLists: false, passphrase: null },
      { machine: realMachine },
    )
    await expect(restore(at("from-future"), { file: newer })).rejects.toMatchObject({ kind: "NEWER" })
    expect(existsSync(at("from-future"))).toBe(false)
    const checked = await runCommand(upgradeCheck, [newer])
    expect([checked.exit, checked.err]).toEqual([EXIT.DATA, expect.stringContaining("9999_future")])
  })
})

test.each([...RESTORE_STEPS])(
  "a restore that is killed before %s leaves no directory, and the next one succeeds",
  async (step) => {
    using folder = freshDirectory()
    const target = join(folder.path, "data")
    expect(await killed("restore", file, target, step)).toBe("SIGKILL")
    expect(existsSync(target)).toBe(false)
    await restore(target)
    expect(readdirSync(folder.path)).toEqual(["data"])
    await opened(target, async ({ store }) => expect(await store.read(restores)).toHaveLength(1))
  },
)

describe("the command", () => {
  test("exits with 8 and names the key files that are missing", async () => {
    const ran = await runCommand(restoreCommand, [file, "--data", at("by-command")])
    expect(ran.exit).toBe(EXIT.PROBLEMS)
    expect(ran.out.match(/^missing {2}.*put this key file back$/gm)).toHaveLength(5)
  })

  test("declares later that nothing happened after the backup, once", async () => {
    await restore(at("declared"))
    const declare = ["--backup-is-newest", "--data", at("declared"), "--json"]
    const ran = await runCommand(restoreCommand, declare)
    expect([ran.exit, JSON.parse(ran.out)]).toEqual([EXIT.DONE, expect.objectContaining({ version: 1, declared: 1 })])
    // It never sold, so there is no address to look at.
    expect(ran.err).toStartWith("not compared with the chain: this database never took a payment")
    expect((await runCommand(restoreCommand, declare)).exit).toBe(EXIT.NOT_FOUND)
    await opened(at("declared"), async ({ store }) => expect(await store.read(voidBefore)).toBeNull())
  })

  test.each([
    [[], "name the backup FILE"],
    [[file, "--before-upgrade"], "--before-upgrade goes without FILE"],
    [["--before-upgrade", "--backup-is-newest"], "--before-upgrade goes without FILE"],
  ])("%j is refused", async (args, message) => {
    const ran = await runCommand(restoreCommand, [...args, "--data", at("unused")])
    expect([ran.exit, ran.err]).toEqual([EXIT.USAGE, expect.stringContaining(message)])
  })

  test("names the files of the configuration that this machine does not have", async () => {
    cpSync(at("data"), at("configured"), { recursive: true })
    writeFileSync(join(at("configured"), "bizauth.toml"), 'relayer_key_file = "/nowhere/relayer.key"\n', {
      mode: 0o600,
    })
    const other = at("configured.tar.zst")
    await makeBackup(
      { paths: dataPaths(at("configured")), file: other, includesLists: false, passphrase: null },
      { machine: realMachine },
    )
    const { out } = await runCommand(restoreCommand, [other, "--data", at("configured-again")])
    expect(out).toContain("missing  relayer_key_file = /nowhere/relayer.key: put the file there, or change the setting")
  })
})
