/** A newer program migrates the database while an older one still has a store: no unit of the older one commits on the newer schema. */
import { describe, expect } from "bun:test"
import { type ReservedSQL, SQL } from "bun"
import type { MigrationWatch } from "../../../../db/applied-migrations.ts"
import { fillText } from "../../../../db/fill.ts"
import { type Migration, migrations } from "../../../../db/migrations.ts"
import { postgresBase } from "../../../../db/postgres/base.ts"
import { migratePostgres } from "../../../../db/postgres/migrate-postgres.ts"
import { openPostgres } from "../../../../src/store/engine/postgres/open-postgres.ts"
import { StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import { SHORTER_LOG } from "../../../../src/store/log/shorter-log.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { list, put } from "../../nonce-rows.ts"
import { lasting } from "./lasting.ts"
import { type PostgresBench, postgresBench } from "./postgres-bench.ts"

const test = slowTests(import.meta.path)

const AT = "2026-12-01T00:00:00.000Z"
const ordinal = (migrations.at(-1)?.ordinal ?? 0) + 1
/** Of the newer program. It keeps how many nonces were there. */
const further: Migration = {
  ordinal,
  name: "further",
  sql: "CREATE TABLE found (nonces INTEGER NOT NULL) STRICT; INSERT INTO found SELECT count(*) FROM used_nonce",
}
/** What a process says that saw leaves which the database lacks. */
const SHORTER = { seen: { size: 2, rootHash: new Uint8Array(32) }, restored: [] }
const NEWER = expect.objectContaining({ reason: "SCHEMA_NEWER" })
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

describe.skipIf(!HAS_POSTGRES)(`a store on a database that a newer program migrates${NOT_RUN}`, () => {
  test(
    "commits and reads nothing after it, if all its sessions ended before",
    newerProgram(async ({ store, endSessions, committed }, migrate) => {
      await store.run(() => put("before"))
      await endSessions("ALL")
      expect(await migrate([further])).toEqual(["further"])
      const work = [store.run(() => put("unit")), store.run(() => put("in order"), "log"), store.read(list)]
      for (const error of await Promise.all(work.map(outcomeOf))) {
        expect(error).toBeInstanceOf(StoreUnavailable)
        expect(error).toEqual(NEWER)
        expect(String((error as Error).cause)).toContain("a newer release migrated the database")
      }
      expect(await committed()).toEqual(["before"])
    }),
  )

  test(
    "keeps it from being migrated while one session lives, and the newer program says from where it is connected",
    newerProgram(async ({ store, endSessions, committed }, migrate) => {
      await store.run(() => put("one"))
      const waits: (readonly string[])[] = []
      const migrating = migrate([further], { applied: () => {}, waits: (others) => waits.push(others) })
      await until("the newer program waits", () => waits.length > 0)
      await Promise.all(["two", "three"].map((nonce) => store.run(() => put(nonce))))
      await Bun.sleep(600)
      const place = expect.stringMatching(/^127\.0\.0\.1 since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(waits).toEqual([[place]])
      await endSessions("ALL")
      expect(await migrating).toEqual(["further"])
      expect(await outcomeOf(store.run(() => put("after")))).toEqual(NEWER)
      expect((await committed()).toSorted()).toEqual(["one", "three", "two"])
    }),
  )

  test(
    "ends a transaction that is open, and the migration sees what it committed",
    newerProgram(async ({ store, admin, endSessions }, migrate) => {
      const waits: (readonly string[])[] = []
      let isOver = false
      const unit = store.run(function* () {
        yield* put("open")
        yield* lasting(() => isOver)
      })
      await until("its transaction is open", async () => {
        const busy = await admin`select 1 from pg_stat_activity where application_name = 'bizauth'
          and datname = current_database() and backend_xid is not null`
        return busy.length > 0
      })
      const migrating = migrate([further], { applied: () => {}, waits: (others) => waits.push(others) })
      await until("the newer program waits", () => waits.length > 0)
      isOver = true
      await unit
      await endSessions("ALL")
      await migrating
      expect([...(await admin`select nonces::text as nonces from found`)]).toEqual([{ nonces: "1" }])
    }),
  )

  test(
    "gets no session while it is migrated",
    newerProgram(async ({ store, further: other, committed }, migrate) => {
      let isMigrated = false
      const slow = { ...further, fill: () => fillText("SELECT pg_sleep(1.5)") }
      const migrating = migrate([slow]).finally(() => {
        isMigrated = true
      })
      await Bun.sleep(400)
      const waiting = outcomeOf(store.run(() => put("patient")))
      expect(await outcomeOf(other({ patienceMs: 0 }).run(() => put("impatient")))).toMatchObject({ reason: "BUSY" })
      expect(isMigrated).toBe(false)
      expect(await waiting).toEqual(NEWER)
      await migrating
      expect(await committed()).toEqual([])
    }),
  )

  test(
    "is refused too when the newer program ended between two migrations",
    newerProgram(async ({ store, committed }, migrate) => {
      const failing = { ordinal: ordinal + 1, name: "failing", sql: "INSERT INTO nowhere VALUES (1)" }
      await expect(migrate([further, failing])).rejects.toThrow("nowhere")
      expect(await outcomeOf(store.run(() => put("after")))).toEqual(NEWER)
      expect(await committed()).toEqual([])
    }),
  )

  test(
    "gets no note of a shorter log from the older program after it",
    newerProgram(async ({ store, admin, url, endSessions }, migrate) => {
      await store.read(list)
      const engine = await openPostgres(url)
      await endSessions("ALL")
      await migrate([further])
      await expect(engine.noteShorterLog(SHORTER)).rejects.toThrow("a newer release migrated the database")
      expect([...(await admin`select name from meta where name = ${SHORTER_LOG}`)]).toEqual([])
    }),
  )

  test(
    "gets none while it is migrated",
    newerProgram(async ({ admin, url }, migrate) => {
      const engine = await openPostgres(url)
      const migrating = migrate([{ ...further, fill: () => fillText("SELECT pg_sleep(1.5)") }])
      await Bun.sleep(400)
      expect(await outcomeOf(engine.noteShorterLog(SHORTER))).toMatchObject({ reason: "BUSY" })
      await migrating
      expect([...(await admin`select name from meta where name = ${SHORTER_LOG}`)]).toEqual([])
    }),
  )

  test(
    "is not migrated while the older program writes this note, and then the migration sees it",
    newerProgram(async ({ admin, url }, migrate) => {
      const engine = await openPostgres(url)
      const ofNotes = { ...further, sql: further.sql.replace("used_nonce", `meta WHERE name = '${SHORTER_LOG}'`) }
      const { work } = await admin.begin(async (locking) => {
        await locking`lock table meta in share mode`
        const noting = engine.noteShorterLog(SHORTER)
        await until("the note waits", async () => {
          const waiting = await locking`select 1 from pg_locks where relation = 'meta'::regclass and not granted`
          return waiting.length > 0
        })
        const migrating = migrate([ofNotes])
        await Bun.sleep(300)
        return { work: Promise.all([noting, migrating]) }
      })
      expect(await work).toEqual([true, ["further"]])
      expect([...(await admin`select nonces::text as nonces from found`)]).toEqual([{ nonces: "1" }])
    }),
  )

  test(
    "loses its sessions within seconds if its machine is cut off, so that the newer program does not wait for them",
    postgresBench(async ({ store: { connections } }) => {
      const connection = await connections.take()
      const names = ["tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"]
      const shown = names.map((name) => `current_setting('${name}')`)
      const [row] = await connection.send(`select ${shown.join(", ")}`)
      expect(row).toEqual(["5", "2", "5", "15000"])
      connections.give(connection)
    }),
  )
})

type Migrate = (added: readonly Migration[], watch?: MigrationWatch) => Promise<string[]>

/** With what a program that knows further migrations does at its start. */
function newerProgram(use: (bench: PostgresBench, migrate: Migrate) => Promise<void>) {
  return postgresBench(async (bench) => {
    const client = new SQL(bench.url, { max: 1 })
    try {
      const connection: ReservedSQL = await client.reserve()
      const migrate: Migrate = (added, watch) =>
        migratePostgres(connection, AT, { base: postgresBase, migrations: [...migrations, ...added] }, watch)
      await use(bench, migrate)
    } finally {
      await client.close({ timeout: 0 })
    }
  })
}
