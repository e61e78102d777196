/** What `init` and `serve` refuse of a server, by name and without the password. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { startFakePostgres } from "../../fixtures/fake-postgres.ts"
import { PASSWORD, type PasswordServer, startPasswordServer } from "../../fixtures/password-server.ts"
import { HAS_POSTGRES, NOT_RUN, startPostgres, startStandby } from "../../fixtures/postgres.ts"
import { SCENARIO_MS } from "../../fixtures/test-operator.ts"
import { startTransactionPooler } from "../../fixtures/transaction-pooler.ts"

setDefaultTimeout(SCENARIO_MS)

const directory = freshDirectory()
const at = (name: string) => join(directory.path, name)

describe.skipIf(!HAS_POSTGRES)(`init and serve${NOT_RUN}`, () => {
  let server: PasswordServer
  beforeAll(async () => {
    server = await startPasswordServer()
    await initOn("good", await server.create("good"))
  })
  afterAll(async () => {
    await server.stop()
    directory[Symbol.dispose]()
  })

  function urlFile(url: string, mode = 0o600): string {
    const file = at(`${crypto.randomUUID()}.url`)
    writeFileSync(file, url, { mode })
    return file
  }

  function initOn(data: string, url: string, mode = 0o600) {
    return run(["init", "--data", at(data), "--environment", "test", "--database-file", urlFile(url, mode)])
  }

  /** Both refuse with the exit code and the words, and nothing has the password. */
  async function expectRefused(url: string, exit: number, words: string): Promise<void> {
    const made = await initOn("other", url)
    const served = await run([
      "serve",
      "--data",
      at("good"),
      "--listen",
      "127.0.0.1:0",
      "--database-file",
      urlFile(url),
    ])
    const checked = await run(["config", "check", "--data", at("good"), "--database-file", urlFile(url)])
    for (const ran of [made, served, checked]) {
      expect(ran.err).toContain(words)
      expect(ran.exit).toBe(exit)
      expect(ran.out + ran.err).not.toContain("s3cret")
    }
    expect(existsSync(at("other/keys"))).toBe(false)
  }

  test("a wrong password", () =>
    expectRefused(server.urlOf("good", "s3cret-but-wrong"), 7, "refused the password of user seller for database good"))

  test("a database that is missing, and a host that does not answer", async () => {
    await expectRefused(server.urlOf("missing"), 7, "has no database missing")
    await expectRefused(
      `postgres://seller:${PASSWORD}@127.0.0.1:1/good`,
      7,
      "PostgreSQL at 127.0.0.1:1 cannot be reached",
    )
  })

  test("a file that others may read, and a text that is no URL", async () => {
    const open = await initOn("other", server.urlOf("good"), 0o644)
    expect([open.exit, open.err]).toEqual([6, expect.stringContaining("is open to other users (mode 0644)")])
    await expectRefused(`mysql://seller:${PASSWORD}@127.0.0.1/good`, 6, "must be postgres://user:password@host")
  })

  const facts = { version: "PostgreSQL 18.4", versionNumber: 180_004, isInRecovery: false }
  test.each([
    [{ isInRecovery: true }, "the server is a standby, which accepts no write: the primary is needed"],
    [{ version: "PostgreSQL 14.2", versionNumber: 140_002 }, "PostgreSQL 14.2: 15 or newer is needed"],
    [{ version: "CockroachDB CCL v23.1.11" }, "the server is CockroachDB: PostgreSQL 15 or newer is needed"],
    [{ version: "PostgreSQL 15.2-YB-2.25.0.0-b0" }, "the server is YugabyteDB: PostgreSQL 15 or newer is needed"],
  ])("%j", async (changes, words) => {
    const fake = await startFakePostgres({ ...facts, ...changes })
    await expectRefused(fake.url, 7, words)
    fake.stop()
  })

  test("a real standby", async () => {
    const primary = await startPostgres()
    const standby = await startStandby(primary)
    const url = `postgres://postgres:s3cret@127.0.0.1:${standby.port}/postgres`
    await expectRefused(url, 7, "the server is a standby, which accepts no write: the primary is needed")
    await standby.stop()
    await primary.stop()
  })

  test("a pooler in transaction mode", async () => {
    const url = `postgres://postgres:s3cret@127.0.0.1:${server.port}/good`
    const pooler = await startTransactionPooler(url, { backends: 3 })
    await expectRefused(pooler.url, 7, "a pooler in transaction mode")
    pooler.stop()
  })

  test("init refuses a database with tables of its own or of another program, and one where it may not create tables", async () => {
    const own = await initOn("other", server.urlOf("good"))
    expect([own.exit, own.err]).toEqual([
      7,
      expect.stringContaining("it belongs to another data directory, made for test"),
    ])
    const foreign = await server.create("of_cats")
    await server.query("of_cats", "CREATE TABLE cats (name text)")
    const refused = await initOn("other", foreign)
    expect([refused.exit, refused.err]).toEqual([7, expect.stringContaining("it has tables of another program")])
    const right = await server.create("no_right")
    await server.query("no_right", "ALTER DATABASE no_right OWNER TO postgres")
    const denied = await initOn("other", right)
    expect([denied.exit, denied.err]).toEqual([7, expect.stringContaining("permission denied for schema public")])
  })

  test("a folder for backups of a file is refused beside a server", async () => {
    const { exit, err } = await run(["config", "check", "--data", at("good"), "--backup-dir", directory.path])
    expect([exit, err]).toEqual([6, expect.stringContaining("a PostgreSQL database has its own backup")])
  })

  test("a directory has one database: a file beside database_file is refused", async () => {
    await run(["init", "--data", at("file"), "--environment", "test"])
    const both = await run(["keys", "list", "--data", at("file")], {
      environment: { BIZAUTH_DATABASE_FILE: urlFile(server.urlOf("good")) },
    })
    expect([both.exit, both.err]).toEqual([
      7,
      expect.stringContaining("only init and database move choose where the database is"),
    ])
  })
})
