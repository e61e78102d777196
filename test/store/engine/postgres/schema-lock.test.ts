/** What keeps an operator from moving a database, or declaring a loss, while a process serves from it. */
import { describe, expect } from "bun:test"
import { SQL } from "bun"
import { useSchema } from "../../../../db/postgres/migrate-postgres.ts"
import { SCHEMA_LOCK } from "../../../../db/postgres/schema-users.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import { OwnInstance } from "../../../../src/data/own-instance.ts"
import { openPostgres } from "../../../../src/store/engine/postgres/open-postgres.ts"
import { DatabaseRefused } from "../../../../src/store/engine/store-error.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { onPostgres } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { databaseProxy } from "./database-proxy.ts"
import { servingProcess } from "./serving-process.ts"

const test = slowTests(import.meta.path)

describe.skipIf(!HAS_POSTGRES)(`a database that a process serves from${NOT_RUN}`, () => {
  test(
    "is not given to an operator while the row of a process is young, although its lock is lost",
    () =>
      onPostgres(async ({ url }) => {
        const engine = await openPostgres(url)
        const instance = new OwnInstance({ engine, machine: realMachine })
        const alone = () => engine.alone(async () => "alone").catch((error: unknown) => error)
        expect(await alone()).toBe("alone")
        await instance.beat()
        const refused = await alone()
        expect(refused).toBeInstanceOf(DatabaseRefused)
        expect(String(refused)).toContain(`(process ${process.pid}, release `)
        await instance.end()
        expect(await alone()).toBe("alone")
        await engine.store.close()
      }),
    60_000,
  )

  test(
    "is given to an operator although the server still ends a connection of the process before, and not while one stays",
    () =>
      onPostgres(async ({ url }) => {
        const engine = await openPostgres(url)
        const alone = () => engine.alone(async () => "alone").catch((error: unknown) => error)
        for (const endsAfter of [500, null]) {
          const holder = new SQL(url, { max: 1 })
          await useSchema(await holder.reserve())
          const given = alone()
          if (endsAfter !== null) {
            await Bun.sleep(endsAfter)
            await holder.close({ timeout: 0 })
            expect(await given).toBe("alone")
          }
          if (endsAfter === null) expect(String(await given)).toContain("127.0.0.1 since ")
          await holder.close({ timeout: 0 })
        }
        await engine.store.close()
      }),
    60_000,
  )

  test(
    "is locked again on another connection when the first one is behind a cut network",
    () =>
      onPostgres(async ({ url }) => {
        const way = await databaseProxy(url)
        const admin = new SQL(url, { max: 1 })
        const holders = async () =>
          (
            await admin`select pid from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted
          and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32) + objid::bigint = ${SCHEMA_LOCK}::bigint`
          ).map(({ pid }: { pid: number }) => pid)
        const serving = await servingProcess(way.url)
        await until("it has the lock", async () => (await holders()).length === 1)
        const [first] = await holders()
        let isFirst = true
        way.judge(({ sentBefore }) => {
          const isLost = isFirst && sentBefore.includes("pg_try_advisory_lock_shared")
          return isLost ? "LOSE" : "PASS"
        })
        await until("it found out", () => serving.lines.some(({ worker }) => worker === "schema in use"), {
          withinMs: 30_000,
        })
        isFirst = false
        await until("another connection has the lock", async () =>
          (await holders()).some((pid: number) => pid !== first),
        )
        await serving.close()
        await admin.close({ timeout: 0 })
        way.close()
      }),
    90_000,
  )
})
