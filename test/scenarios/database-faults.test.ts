/** A database that is unusable for this user or for everyone: each command gives the reason in one sentence and exits with 7. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openBeside } from "../../db/open.ts"
import { initialised, run } from "../fixtures/binary.ts"
import { noPlainUser } from "../fixtures/bound-by-modes.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { runAsPlainUser } from "../fixtures/plain-user.ts"

const COMMANDS: readonly (readonly string[])[] = [
  ["keys", "list"],
  ["sources", "status"],
  ["payments", "owed"],
  ["buyers", "list"],
  ["log", "checkpoint"],
  ["config", "check", "--listen", "127.0.0.1:0"],
  ["serve", "--listen", "127.0.0.1:0"],
]

const database = (data: string) => join(data, "bizauth.db")

/** Every page but the first is overwritten. */
function damagePages(data: string): void {
  const bytes = readFileSync(database(data))
  for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0x41, at, at + 4096)
  writeFileSync(database(data), bytes)
}

/** Damages the first page of one table and of each of its indexes, so that only a command that reads the table fails. */
function damageTable(data: string, table: string): void {
  const opened = new Database(database(data))
  const query = "SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?1 AND rootpage > 0"
  const pages = opened.query<{ rootpage: number }, [string]>(query).all(table)
  opened.close()
  const bytes = readFileSync(database(data))
  for (const { rootpage } of pages) bytes.fill(0x41, (rootpage - 1) * 4096, rootpage * 4096)
  writeFileSync(database(data), bytes)
}

describe("a damaged database", () => {
  const rows: readonly [name: string, harm: (data: string) => void, says: RegExp][] = [
    [
      "of arbitrary bytes",
      (data) => writeFileSync(database(data), Buffer.alloc(200_000, "x")),
      /is damaged \(SQLITE_NOTADB\)/,
    ],
    ["cut after its first page", (data) => truncateSync(database(data), 4096), /is damaged \(SQLITE_CORRUPT/],
    ["cut in the middle", (data) => truncateSync(database(data), 100_001), /is damaged \(SQLITE_CORRUPT/],
    ["with overwritten pages", damagePages, /is damaged \(SQLITE_CORRUPT/],
    [
      "cut to nothing",
      (data) => truncateSync(database(data), 0),
      /bizauth\.db is empty: .* put back your backup; otherwise remove/,
    ],
    [
      "that is a directory",
      (data) => {
        rmSync(database(data))
        mkdirSync(database(data))
      },
      /bizauth\.db is not a file/,
    ],
    [
      "of another program",
      (data) => {
        rmSync(database(data))
        const other = new Database(database(data))
        other.run("CREATE TABLE thesis (a TEXT)")
        other.close()
      },
      /is the database of another program; nothing was changed/,
    ],
  ]
  test.each(rows)("%s makes every command exit with 7 and one sentence", async (_name, harm, says) => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    harm(data)
    for (const command of COMMANDS) {
      const { exit, out, err } = await run([...command, "--data", data])
      expect([command, exit, out]).toEqual([command, 7, ""])
      expect(err).toMatch(says)
      expect(err).toMatch(/^bizauth: [^\n]+\n$/)
    }
  })

  test("with one damaged table makes the command that reads it exit in the same way", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    damageTable(data, "organization")
    const { exit, err } = await run(["buyers", "list", "--data", data])
    expect(exit).toBe(7)
    expect(err).toMatch(/^bizauth: the database of the data directory is damaged \(SQLITE_CORRUPT\w*\); [^\n]+\n$/)
    expect((await run(["keys", "list", "--data", data])).exit).toBe(0)
  })

  test("of another program is left unchanged", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    rmSync(database(data))
    const other = new Database(database(data))
    other.run("CREATE TABLE thesis (a TEXT)")
    other.close()
    const before = readFileSync(database(data))
    for (const command of COMMANDS) await run([...command, "--data", data])
    const after = openBeside(database(data))
    expect(after.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "thesis" }])
    after.close()
    expect(readFileSync(database(data)).length).toBe(before.length)
  })
})

if (noPlainUser !== null) console.log(`skipped: ${noPlainUser}`)

describe.skipIf(noPlainUser !== null)("a database without access for this user", () => {
  const rows: readonly [name: string, close: (data: string) => void][] = [
    ["a database without any permission", (data) => chmodSync(database(data), 0)],
    ["a read-only database", (data) => chmodSync(database(data), 0o400)],
    ["a read-only directory", (data) => chmodSync(data, 0o500)],
    ["a directory without any permission", (data) => chmodSync(data, 0)],
    ["key files in a directory without any permission", (data) => chmodSync(join(data, "keys"), 0)],
    ["next keys in a directory without any permission", (data) => chmodSync(join(data, "keys", "next"), 0)],
    ["snapshots in a directory without any permission", (data) => chmodSync(join(data, "snapshots"), 0)],
    [
      "a write-ahead log without any permission",
      (data) => {
        writeFileSync(`${database(data)}-wal`, "", { mode: 0 })
      },
    ],
  ]
  test.each(rows)("%s makes every command exit with 7 and one sentence", async (_name, close) => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    close(data)
    for (const command of COMMANDS) {
      const { exit, err } = runAsPlainUser([...command, "--data", data])
      expect([command, exit]).toEqual([command, 7])
      expect(err).toMatch(
        /^bizauth: \S+ cannot be read and written by this user \(EACCES\); run bizauth as the owner[^\n]+\n$/,
      )
    }
    // So that the folder can be removed.
    chmodSync(data, 0o700)
    for (const name of ["keys", "keys/next", "snapshots"]) chmodSync(join(data, name), 0o700)
  })

  test("init exits with 7 and one sentence where this user may not create a data directory", () => {
    using fresh = freshDirectory()
    chmodSync(fresh.path, 0o555)
    const { exit, err } = runAsPlainUser(["init", "--data", join(fresh.path, "data"), "--environment", "test"])
    expect(exit).toBe(7)
    expect(err).toMatch(/^bizauth: \S+ cannot be made \(EACCES\); choose a place that this user may write to[^\n]+\n$/)
  })
})

describe.skipIf(noPlainUser !== null)(
  "a file beside the database that cannot be written is named with its role",
  () => {
    /** A folder in which this user may make nothing. */
    function closedFolder(parent: string): string {
      const folder = join(parent, "closed")
      mkdirSync(folder)
      chmodSync(folder, 0o555)
      return folder
    }

    test("a backup into a closed folder names the backup", async () => {
      using fresh = freshDirectory()
      const data = await initialised(fresh.path)
      const file = join(closedFolder(fresh.path), "a.tar.zst")
      const { exit, err } = runAsPlainUser(["backup", file, "--data", data])
      expect([exit, err]).toEqual([
        7,
        `bizauth: the backup ${file}: this user may not write there (EACCES); name another place\n`,
      ])
    })

    test("a backup into the folder of scheduled backups names its lock file", async () => {
      using fresh = freshDirectory()
      const data = await initialised(fresh.path)
      const folder = closedFolder(fresh.path)
      const { exit, err } = runAsPlainUser(["backup", "--data", data, "--backup-dir", folder])
      expect(exit).toBe(7)
      expect(err).toContain(`the lock file ${join(folder, ".backup.lock")}: it cannot be opened or made`)
      expect(err).not.toContain("database")
    })
  },
)
