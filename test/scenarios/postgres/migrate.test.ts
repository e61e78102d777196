/** `serve` migrates a database on a server, alone, and says for whom it waits. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { INSTANCE_ALIVE_MS } from "../../../db/instance-alive.ts"
import { migrations } from "../../../db/migrations.ts"
import { SCHEMA_LOCK } from "../../../db/postgres/schema-users.ts"
import { VERSION } from "../../../src/base/build-facts.ts"
import { type Running, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { PASSWORD, type PasswordServer, startPasswordServer } from "../../fixtures/password-server.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { SCENARIO_MS } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)

/** The newest migration, and what undoes it: the database is then that of the release before. */
const NEWEST = {
  name: "0061_used_block",
  undo: "ALTER TABLE payment_attempt DROP COLUMN used_block",
}
const UNDO = `${NEWEST.undo}; DELETE FROM schema_migration WHERE name = '${NEWEST.name}'`

const directory = freshDirectory()
const data = join(directory.path, "data")

/** The log lines of an event so far. */
const lines = (running: Running, event: string): Readonly<Record<string, unknown>>[] =>
  running
    .err()
    .split("\n")
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line))

describe.skipIf(!HAS_POSTGRES)(`a database without the newest migration${NOT_RUN}`, () => {
  let server: PasswordServer
  beforeAll(async () => {
    server = await startPasswordServer()
    const file = join(directory.path, "database.url")
    writeFileSync(file, await server.create("shop"), { mode: 0o600 })
    const made = await run(["init", "--data", data, "--environment", "test", "--database-file", file])
    expect([made.exit, made.err]).toEqual([0, ""])
  })
  afterAll(async () => {
    await server.stop()
    directory[Symbol.dispose]()
  })

  const newestInDatabase = async () =>
    (await server.query("shop", "SELECT name FROM schema_migration ORDER BY ordinal DESC LIMIT 1"))[0]?.["name"]

  const locks = async (which: string) =>
    (await server.query("shop", `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND ${which}`)).length

  const isWaiting = async () =>
    (
      await server.query(
        "shop",
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'",
      )
    ).length > 0

  beforeEach(async () => {
    expect(migrations.at(-1)?.name).toBe(NEWEST.name)
    await server.query("shop", UNDO)
    expect(await newestInDatabase()).not.toBe(NEWEST.name)
  })

  test("is migrated by the next start, which waits for nobody", async () => {
    const refused = await run(["keys", "list", "--data", data])
    expect(refused.err).toContain(NEWEST.name)
    expect(await newestInDatabase()).not.toBe(NEWEST.name)
    await using running = await serve(data)
    await running.logged('"event":"started"')
    expect(lines(running, "migrated")).toMatchObject([{ name: NEWEST.name }])
    expect(lines(running, "migration_waits")).toEqual([])
    expect(await newestInDatabase()).toBe(NEWEST.name)
    expect(await running.stop()).toBe(0)
  })

  test("is migrated after every other process has stopped; the start says once who lives, without the password", async () => {
    const running = await serveAtNewest()
    const lives = `${hostname()} (process ${running.pid}, release ${VERSION})`
    await server.query("shop", UNDO)
    const starting = serve(data)
    await until("another process waits", isWaiting)
    await Bun.sleep(1_000)
    expect(await newestInDatabase()).not.toBe(NEWEST.name)
    expect(await running.stop()).toBe(0)
    await using second = await starting
    await second.logged('"event":"started"')
    expect(lines(second, "migrated")).toMatchObject([{ name: NEWEST.name }])
    expect(lines(second, "migration_waits")).toMatchObject([{ level: "warn", used_by: lives, why: expect.any(String) }])
    expect(second.err()).not.toContain(PASSWORD)
    expect(await newestInDatabase()).toBe(NEWEST.name)
    expect(await second.stop()).toBe(0)
  })

  test("is migrated when the row of a process that was killed is old, and not before", async () => {
    const running = await serveAtNewest()
    await server.query("shop", UNDO)
    const [row] = await server.query("shop", "SELECT seen_at FROM instance")
    const starting = serve(data)
    await until("another process waits", isWaiting)
    await running.kill()
    await using second = await starting
    await second.logged('"event":"started"')
    const waited = Date.now() - Date.parse(String(row?.["seen_at"]))
    expect(waited).toBeGreaterThan(INSTANCE_ALIVE_MS)
    expect(lines(second, "migration_waits")).toHaveLength(1)
    expect(await newestInDatabase()).toBe(NEWEST.name)
    expect(await second.stop()).toBe(0)
    const left = await run(["instances", "--json", "--data", data])
    expect(JSON.parse(left.out).instances).toEqual([expect.objectContaining({ alive: false })])
  })

  /** A process that serves, and holds the schema. */
  async function serveAtNewest(): Promise<Running> {
    const running = await serve(data)
    await running.logged('"event":"started"')
    const isHeld = `mode = 'ShareLock' AND granted AND (classid::bigint << 32) + objid::bigint = ${SCHEMA_LOCK}`
    await until("it holds the schema", async () => (await locks(isHeld)) > 0)
    await until("its row is there", async () => (await server.query("shop", "SELECT 1 FROM instance")).length > 0)
    return running
  }
})
