/** A real PgBouncer: session mode works, transaction mode is refused by name. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { SQL } from "bun"
import { openPostgres } from "../../../../src/store/engine/postgres/open-postgres.ts"
import { HAS_PGBOUNCER, type PgBouncer, startPgBouncer } from "../../../fixtures/pgbouncer.ts"
import { HAS_POSTGRES } from "../../../fixtures/postgres.ts"
import { newPostgresDatabase } from "../../../fixtures/postgres-schema.ts"
import { until } from "../../../fixtures/until.ts"
import { list, put } from "../../nonce-rows.ts"

const NOT_RUN = HAS_POSTGRES && HAS_PGBOUNCER ? "" : " (NOT RUN: needs Debian's pgbouncer)"

describe.skipIf(NOT_RUN !== "")(`PgBouncer${NOT_RUN}`, () => {
  let database: Awaited<ReturnType<typeof newPostgresDatabase>>
  let bouncer: PgBouncer | null = null
  beforeAll(async () => {
    database = await newPostgresDatabase()
  })
  afterAll(async () => {
    await bouncer?.stop()
    await database.drop()
  })

  async function through(mode: "session" | "transaction"): Promise<string> {
    await bouncer?.stop()
    const url = new URL(database.url)
    bouncer = await startPgBouncer(Number(url.port), mode)
    url.port = String(bouncer.port)
    return url.href
  }

  test("in session mode stores and reads", async () => {
    const { store } = await openPostgres(await through("session"))
    await Promise.all(Array.from({ length: 20 }, (_, at) => store.run(() => put(`nonce-${at}`))))
    expect((await store.read(list)).length).toBe(20)
    await store.close()
    // The pooler keeps the sessions, and a lock that stayed in one would keep every migration away.
    const client = new SQL(database.url, { max: 1 })
    const locked = async () => {
      const rows = await client`select 1 from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
      return rows.length > 0
    }
    await until("no session keeps a lock", async () => !(await locked()))
    await client.close({ timeout: 0 })
  })

  test("in transaction mode is refused by name", async () => {
    const refused = await openPostgres(await through("transaction")).then(
      () => "opened",
      (error: Error) => error.message,
    )
    expect(refused).toContain("a pooler in transaction mode is between this service and PostgreSQL")
  })
})
