/** A statement outside the store whose answer is lost, as when the server goes while a connection waits for it. */
import { describe, expect } from "bun:test"
import { createLog } from "../../../../src/base/log.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import { OwnInstance } from "../../../../src/data/own-instance.ts"
import { ownStateChecks } from "../../../../src/data/own-state-checks.ts"
import type { Engine } from "../../../../src/store/engine/engine.ts"
import { openPostgres } from "../../../../src/store/engine/postgres/open-postgres.ts"
import { StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { onPostgres } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { type DatabaseProxy, databaseProxy } from "./database-proxy.ts"

const test = slowTests(import.meta.path)

const WITHIN_MS = 4_000

/** Loses the first statement that contains the text. */
function loseOnce(way: DatabaseProxy, text: string): void {
  let isLost = false
  way.judge((piece) => {
    if (isLost || piece.from === "SERVER" || !piece.text.includes(text)) return "PASS"
    isLost = true
    return "LOSE"
  })
}

const onWay = (use: (way: DatabaseProxy) => Promise<void>) => () =>
  onPostgres(async ({ url }) => {
    const way = await databaseProxy(url)
    try {
      await use(way)
    } finally {
      way.close()
    }
  })

const never = () => Promise.reject(new Error("it has the lock"))

describe.skipIf(!HAS_POSTGRES)(`an answer that is lost${NOT_RUN}`, () => {
  test.each([
    ["pendingMigrations", "schema_migration", (engine: Engine) => engine.pendingMigrations()],
    ["contents", "schema_migration", (engine: Engine) => engine.contents()],
    ["metaBefore", "to_regclass", (engine: Engine) => engine.metaBefore("x")],
    ["exclusive, at its settings", "tcp_keepalives_idle", (engine: Engine) => engine.exclusive?.("x", never)],
    ["exclusive, at its lock", "pg_try_advisory_lock", (engine: Engine) => engine.exclusive?.("x", never)],
  ] as const)(
    "ends %s in time",
    async (_, text, ask) =>
      onWay(async (way) => {
        const engine = await openPostgres(way.url)
        loseOnce(way, text)
        const begun = performance.now()
        const error = await Promise.race([
          Promise.resolve(ask(engine)).catch((failed: unknown) => failed),
          Bun.sleep(WITHIN_MS + 1_000),
        ])
        expect(error).toBeInstanceOf(StoreUnavailable)
        expect(performance.now() - begun).toBeLessThan(WITHIN_MS)
      })(),
    30_000,
  )

  test(
    "makes the check of the migrations fail once",
    onWay(async (way) => {
      const engine = await openPostgres(way.url)
      await engine.migrate("2026-01-01T00:00:00.000Z")
      const log = createLog("error", () => {}, realMachine.now)
      const instance = new OwnInstance({ engine, machine: realMachine })
      const keys = { reasons: () => [] } as unknown as Parameters<typeof ownStateChecks>[0]["keys"]
      const hmacKeys = { quoteKey: new Uint8Array(32), tokenKey: new Uint8Array(32) }
      const check = ownStateChecks({ engine, keys, hmacKeys, instance, log }).find(({ name }) => name === "migrations")
      loseOnce(way, "schema_migration")
      const codes = async () => (await check?.reasons())?.map(({ code }) => code)
      expect(await codes()).toEqual(["DATABASE_UNREACHABLE"])
      expect(await codes()).toEqual([])
    }),
    30_000,
  )

  test(
    "ends an opening in time",
    onWay(async (way) => {
      loseOnce(way, "bizauth.connection")
      const opened = openPostgres(way.url).catch((failed: unknown) => failed)
      expect(await Promise.race([opened, Bun.sleep(WITHIN_MS + 1_000)])).toBeInstanceOf(StoreUnavailable)
    }),
    30_000,
  )

  test(
    "ends the lock of a process that serves, and the next round takes it",
    onWay(async (way) => {
      const engine = await openPostgres(way.url)
      const holders = async () =>
        engine.onOwnConnection(async (connection) => {
          const rows = await connection.unsafe(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
          )
          return rows.length
        })
      loseOnce(way, "lock_shared")
      const log = createLog("error", () => {}, realMachine.now)
      const worker = engine.workers({ machine: realMachine, log }).find(({ name }) => name === "schema in use")
      worker?.start()
      await until("the schema is in use", async () => (await holders()) === 1, { withinMs: 15_000 })
      await worker?.stop()
    }),
    30_000,
  )
})
