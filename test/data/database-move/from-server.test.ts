/** A database on a server is moved only while nobody serves from it, and nobody serves from it afterwards. */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import { EXIT } from "../../../src/base/exit.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as moveCommand } from "../../../src/cli/database/move.ts"
import { command as verifyCommand } from "../../../src/cli/database/verify.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import type { DataPaths } from "../../../src/data/data-paths.ts"
import { recordSwitch, type SwitchRow } from "../../../src/store/agent-mode/sales-switches.ts"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { type Instance, recordInstance } from "../../../src/store/instances.ts"
import { logCapsule } from "../../../src/store/log/sequenced-log.ts"
import { appendStatement, readTreeHead, type TreeHead } from "../../../src/store/log/transparency-log.ts"
import { metaValue, putMeta, removeMeta } from "../../../src/store/meta.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN, postgresUrl } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { until } from "../../fixtures/until.ts"
import { configured, openedAsConfigured, reportOf } from "./move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const STOP: SwitchRow = {
  ...{ at: "2026-11-29T00:00:00.000Z", scope: "ALL", opens: null, closes: null },
  ...{ action: "STOP", reason: "first" },
}
const INSTANCE: Instance = {
  ...{ instanceId: "instance", host: "host", pid: 7, release: "1.2.3" },
  ...{ startedAt: "2026-11-29T00:00:00.000Z", seenAt: "2026-11-29T00:00:00.000Z" },
}
const MOVED = expect.objectContaining({ reason: "MOVED" })
const silent = createLog("error", () => {}, realMachine.now)
const root = freshDirectory()
let admin: SQL
let serial = 0
const names: string[] = []

/** A directory whose database belongs to a user without further rights, as the documentation says. */
async function onServer(): Promise<{ readonly paths: DataPaths; readonly url: string }> {
  const name = `moved_${process.pid}_${++serial}`
  names.push(name)
  await admin.unsafe(`CREATE ROLE ${name} LOGIN`)
  await admin.unsafe(`CREATE DATABASE ${name} OWNER ${name} TEMPLATE template0`)
  const url = (await postgresUrl()).replace("postgres@", `${name}@`).replace(/\/postgres$/, `/${name}`)
  const file = join(root.path, `${name}.url`)
  writeFileSync(file, url, { mode: 0o600 })
  const { paths } = await createDataDirectory(join(root.path, name), "test", realMachine, { databaseFile: file })
  return { paths, url }
}

function asAdmin(url: string, adminUrl: string): string {
  return adminUrl.replace(/\/postgres$/, new URL(url).pathname)
}

const back = ({ directory }: DataPaths) => runCommand(moveCommand, ["--to-directory", "--data", directory])

describe.skipIf(!HAS_POSTGRES)(`a database on a server${NOT_RUN}`, () => {
  beforeAll(async () => {
    admin = new SQL(await postgresUrl(), { max: 1 })
  })
  afterAll(async () => {
    for (const name of names) {
      await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
      await admin.unsafe(`DROP ROLE ${name}`)
    }
    await admin.close({ timeout: 0 })
    root[Symbol.dispose]()
  })

  test("is not moved while a process serves from it, and the refusal says from where that one is connected", async () => {
    const { paths, url } = await onServer()
    const serving = await databaseAt(url).open()
    const workers = serving.engine.workers({ machine: realMachine, log: silent })
    for (const worker of workers) worker.start()
    await until("it is refused", async () => (await back(paths)).exit === EXIT.DATA)
    const refused = await back(paths)
    expect(refused.err).toMatch(
      /is in use: bizauth is connected from 127\.0\.0\.1 since \d{4}-.*Stop every service on it first/,
    )
    expect(configured(paths)).not.toBeNull()
    for (const worker of workers) await worker.stop()
    await serving.store.close()
    await until("its connection has ended", async () => (await back(paths)).exit === EXIT.DONE)
  })

  test("takes no write of a process that began before the move, and tells that process", async () => {
    const { paths, url } = await onServer()
    const early = await databaseAt(url).open()
    await early.store.run(() => putMeta("settlement", "before"))
    await early.store.run(() => recordInstance(INSTANCE))
    // No worker of this process gives it its leaf.
    await early.store.run(() => logCapsule("drq_waits", `sha256:${"1".repeat(64)}`))
    const { size } = await early.store.read(readTreeHead)
    expect((await back(paths)).exit).toBe(EXIT.DONE)
    const inFile = databaseAt(paths.database)
    expect(await inFile.count("log_leaf")).toBe(size + 1)
    expect([await inFile.count("log_pending"), await inFile.count("instance")]).toEqual([0, 0])
    await inFile.close()
    await expect(early.store.run(() => putMeta("settlement", "after"))).rejects.toEqual(MOVED)
    const lines: string[] = []
    const checks = early.engine.checks({ ...silent, error: (event) => void lines.push(event) })
    const check = checks.find(({ name }) => name === "database moved")
    expect(await check?.reasons()).toEqual([expect.objectContaining({ code: "DATABASE_MOVED" })])
    await check?.reasons()
    expect(lines).toEqual(["database_moved"])
    await early.store.close()
    // Another instance still has the earlier configuration.
    const file = join(root.path, `${names.at(-1)}.url`)
    const { paths: other } = await createDataDirectory(join(root.path, "other-instance"), "test", realMachine)
    rmSync(other.database)
    const opening = openDataDirectory(other.directory, {
      ...{ machine: realMachine, migrate: true, databaseFile: file },
      onFatal: () => {},
    })
    await expect(opening).rejects.toThrow(`was moved to ${paths.database}`)
    expect(await runCommand(moveCommand, ["--to", file, "--data", paths.directory])).toMatchObject({ exit: EXIT.DATA })
  })

  test.each([
    [
      "is a superuser",
      async (owner: string): Promise<void> => {
        await admin.unsafe(`ALTER ROLE ${owner} SUPERUSER`)
      },
    ],
    [
      "moves it as another member of the group that owns it",
      async (owner: string) => {
        const member = `${owner}_member`
        names.push(member)
        await admin.unsafe(`CREATE ROLE ${member} LOGIN IN ROLE ${owner}`)
        await admin.unsafe(`CREATE DATABASE ${member} OWNER ${member} TEMPLATE template0`)
        const file = join(root.path, `${owner}.url`)
        writeFileSync(file, readFileSync(file, "utf8").replace(`${owner}@`, `${member}@`), { mode: 0o600 })
      },
    ],
  ] as const)("takes no write of a process that began before the move, also if its user %s", async (_, change) => {
    const { paths, url } = await onServer()
    const early = await databaseAt(url).open()
    await early.store.run(() => putMeta("settlement", "before"))
    const { size } = await early.store.read(readTreeHead)
    const client = new SQL(url, { max: 1 })
    const begun = await client.reserve()
    await begun.unsafe("BEGIN ISOLATION LEVEL SERIALIZABLE")
    await begun.unsafe("SELECT count(*) FROM used_nonce")
    await change(String(names.at(-1)))
    expect((await back(paths)).exit).toBe(EXIT.DONE)
    const late = begun.unsafe("INSERT INTO invitation (reference, created_at) VALUES ('x', 'x')").execute()
    await expect(late).rejects.toMatchObject({ errno: "BZ001" })
    begun.release()
    await client.close({ timeout: 0 })
    const writes = await Promise.allSettled([
      early.store.run(() => putMeta("settlement", "after")),
      early.store.run(() => removeMeta("settlement")),
      early.store.run(() => appendStatement("CAPSULE", `sha256:${"1".repeat(64)}`), "log"),
    ])
    for (const write of writes) expect(write).toEqual({ status: "rejected", reason: MOVED })
    const { found, log } = await early.store.read(function* (): Unit<{ found: string | null; log: TreeHead }> {
      return { found: yield* metaValue("settlement"), log: yield* readTreeHead() }
    })
    expect([found, log.size]).toEqual(["before", size])
    await early.store.close()
  })

  test("is refused before its rows are copied if its user may not make what refuses later writes", async () => {
    const { paths, url } = await onServer()
    const there = new SQL(asAdmin(url, await postgresUrl()), { max: 1 })
    await there.unsafe("REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC")
    const refused = await back(paths)
    expect(refused).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("plpgsql") })
    expect(existsSync(`${paths.database}.moving`)).toBe(false)
    await there.unsafe("GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC")
    await there.close({ timeout: 0 })
    expect((await back(paths)).exit).toBe(EXIT.DONE)
  })

  test("is moved although a database that was here before left what refuses writes", async () => {
    const { paths, url } = await onServer()
    const owner = new SQL(url, { max: 1 })
    await owner.unsafe("CREATE FUNCTION database_moved() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
    await owner.close({ timeout: 0 })
    expect((await back(paths)).exit).toBe(EXIT.DONE)
  })

  test.each([
    [
      "a server",
      async () => {
        const { paths, url } = await onServer()
        expect((await back(paths)).exit).toBe(EXIT.DONE)
        rmSync(paths.database)
        const there = new SQL(asAdmin(url, await postgresUrl()), { max: 1 })
        await there.unsafe("SET session_replication_role = replica").simple()
        await there.unsafe("DELETE FROM schema_migration WHERE ordinal = (SELECT max(ordinal) FROM schema_migration)")
        await there.close({ timeout: 0 })
        return { paths, databaseFile: join(root.path, `${names.at(-1)}.url`) }
      },
    ],
    [
      "a file",
      async () => {
        const { paths } = await createDataDirectory(join(root.path, "file"), "test", realMachine)
        using database = new Database(paths.database)
        const mark = { id: "x", at: "2026-11-29T00:00:00Z", other: "another", is_complete: true }
        database.run("INSERT INTO meta (name, value) VALUES ('moved_to', ?1)", [JSON.stringify(mark)])
        database.run("DELETE FROM schema_migration WHERE ordinal = (SELECT max(ordinal) FROM schema_migration)")
        return { paths, databaseFile: null }
      },
    ],
  ] as const)(
    "that was moved from %s is not migrated by a later release, and its refusal says where it is now",
    async (_, moved) => {
      const { paths, databaseFile } = await moved()
      for (const migrate of [true, false]) {
        const opening = openDataDirectory(paths.directory, {
          ...{ machine: realMachine, databaseFile, migrate },
          onFatal: () => {},
        })
        await expect(opening).rejects.toThrow("was moved to")
      }
      expect(readdirSync(paths.directory).filter((name) => name.includes(".before-"))).toEqual([])
    },
  )

  test("is moved whatever form of bytes its user reads by default", async () => {
    const { paths } = await onServer()
    await admin.unsafe(`ALTER ROLE ${names.at(-1)} SET bytea_output = escape`)
    expect(await back(paths)).toMatchObject({ exit: EXIT.DONE })
    expect((await runCommand(verifyCommand, ["--data", paths.directory])).out).toContain("equal to the move")
  })

  test("is compared again: every table after the move, and later the rows that never change", async () => {
    const { paths } = await onServer()
    await openedAsConfigured(paths, ({ store }) => store.run(() => recordSwitch(STOP)))
    expect((await back(paths)).exit).toBe(EXIT.DONE)
    const verify = async () => {
      const ran = await runCommand(verifyCommand, ["--data", paths.directory, "--json"])
      const { tables } = JSON.parse(ran.out) as { tables: { table: string; rows: number; verdict: string }[] }
      return { exit: ran.exit, verdicts: new Map(tables.map(({ table, verdict }) => [table, verdict])), tables }
    }
    const mustEqual = () => runCommand(verifyCommand, ["--require-equal", "--data", paths.directory])
    expect((await mustEqual()).exit).toBe(EXIT.DONE)
    const first = await verify()
    expect([first.exit, new Set(first.verdicts.values())]).toEqual([EXIT.DONE, new Set(["EQUAL"])])
    expect(first.tables.map(({ table, rows }) => [table, rows])).toEqual(
      reportOf(paths).tables.map(({ table, rows }) => [table, rows]),
    )
    await openedAsConfigured(paths, ({ store }) =>
      store.run(function* () {
        yield* recordSwitch({ ...STOP, reason: "later" })
        yield* putMeta("settlement", "x")
      }),
    )
    const grown = await verify()
    expect([
      grown.exit,
      grown.verdicts.get("sales_switch"),
      grown.verdicts.get("meta"),
      grown.verdicts.get("log_leaf"),
    ]).toEqual([EXIT.DONE, "GROWN", "CHANGED", "EQUAL"])
    expect((await mustEqual()).exit).toBe(EXIT.INVALID)
    const database = databaseAt(paths.database)
    await database.write("UPDATE sales_switch SET reason = 'another' WHERE id = 1")
    await database.close()
    const changed = await verify()
    expect([changed.exit, changed.verdicts.get("sales_switch")]).toEqual([EXIT.INVALID, "DIFFERENT"])
    const none = await runCommand(verifyCommand, ["--data", paths.directory, "--against", join(root.path, "none.json")])
    expect(none.exit).toBe(EXIT.NOT_FOUND)
    rmSync(join(paths.directory, "database-move.json"))
    expect((await mustEqual()).exit).toBe(EXIT.NOT_CHECKED)
  })
})
