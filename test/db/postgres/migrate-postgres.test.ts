import { expect } from "bun:test"
import { type ReservedSQL, SQL } from "bun"
import { hashOf, SchemaMismatch } from "../../../db/applied-migrations.ts"
import { fillText } from "../../../db/fill.ts"
import type { Migration } from "../../../db/migrations.ts"
import type { PostgresBase } from "../../../db/postgres/base.ts"
import {
  migratePostgres,
  pendingPostgresMigrations,
  postgresContents,
  useSchema,
} from "../../../db/postgres/migrate-postgres.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { newEmptyPostgresDatabase, onReserved } from "../../fixtures/postgres-schema.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { until } from "../../fixtures/until.ts"

const test = slowTests(import.meta.path)

const AT = "2026-01-01T00:00:00.000Z"
const LOG =
  'CREATE TABLE schema_migration (ordinal bigint PRIMARY KEY, name text COLLATE "C", sha256 text COLLATE "C", applied_at text COLLATE "C");'

function baseOf(sql: string, ordinal = 2): PostgresBase {
  return { ordinal, name: "0002_b", sql: `${LOG}${sql}`, sha256: hashOf(`${LOG}${sql}`) }
}
const base = baseOf("CREATE TABLE a (x text)")
const covered: Migration[] = [1, 2].map((ordinal) => ({ ordinal, name: `000${ordinal}_x`, sql: "never runs here" }))
const third: Migration = {
  ordinal: 3,
  name: "0003_c",
  sql: "INSERT INTO a VALUES ('three'); CREATE TABLE c (x TEXT) STRICT",
}
const fourth: Migration = {
  ordinal: 4,
  name: "0004_d",
  sql: "nothing of PostgreSQL",
  postgres: "INSERT INTO a VALUES ('four')",
}
const known = { base, migrations: [...covered, third, fourth] }
const knowing = (...later: Migration[]) => ({ base, migrations: [...covered, ...later] })

/** No process of the test makes another wait. */
const never = (others: readonly string[]) => {
  throw new Error(`waits for ${others.join()}`)
}

const empty = (use: (connection: ReservedSQL, url: string) => Promise<void>) =>
  onReserved(use, newEmptyPostgresDatabase)
const pendingNames = async (connection: ReservedSQL, binary: typeof known) =>
  (await pendingPostgresMigrations(connection, binary)).map(({ name }) => name)
const rowsOf = (connection: ReservedSQL, text: string) => connection.unsafe(text).values() as Promise<unknown[][]>

test.skipIf(!HAS_POSTGRES)(
  `the base is applied first, then the migrations that it does not cover, each once${NOT_RUN}`,
  () =>
    empty(async (connection) => {
      expect(await pendingNames(connection, known)).toEqual(["base_0002_b", "0003_c", "0004_d"])
      expect(await migratePostgres(connection, AT, knowing(third))).toEqual(["base_0002_b", "0003_c"])
      expect(await pendingNames(connection, known)).toEqual(["0004_d"])
      const counts: number[] = []
      const watch = { applied: (count: number) => counts.push(count), waits: never }
      expect(await migratePostgres(connection, AT, known, watch)).toEqual(["0004_d"])
      expect(await migratePostgres(connection, AT, known)).toEqual([])
      expect(counts).toEqual([1])
      expect(await rowsOf(connection, "SELECT x FROM a")).toEqual([["three"], ["four"]])
      expect(await rowsOf(connection, "SELECT ordinal, name, sha256, applied_at FROM schema_migration")).toEqual([
        ["2", "base_0002_b", base.sha256, AT],
        ["3", "0003_c", hashOf(`INSERT INTO a VALUES ('three'); CREATE TABLE c (x text COLLATE "C")`), AT],
        ["4", "0004_d", hashOf("INSERT INTO a VALUES ('four')"), AT],
      ])
    }),
)

test.skipIf(!HAS_POSTGRES)(`a migration that fails is undone with its fill; those before it stay${NOT_RUN}`, () =>
  empty(async (connection) => {
    const failing: Migration = {
      ...fourth,
      *fill() {
        yield* fillText("INSERT INTO a VALUES ('filled'); INSERT INTO a VALUES ('filled')")
        throw new Error("no fill")
      },
    }
    await expect(migratePostgres(connection, AT, knowing(third, failing))).rejects.toThrow("no fill")
    expect(await rowsOf(connection, "SELECT x FROM a")).toEqual([["three"]])
    const broken = { ...fourth, postgres: "INSERT INTO a VALUES ('four'); INSERT INTO nowhere VALUES (1)" }
    await expect(migratePostgres(connection, AT, knowing(third, broken))).rejects.toThrow("nowhere")
    expect(await rowsOf(connection, "SELECT x FROM a")).toEqual([["three"]])
    expect(await migratePostgres(connection, AT, known)).toEqual(["0004_d"])
  }),
)

test.skipIf(!HAS_POSTGRES)(`a migration that ends its transaction is refused${NOT_RUN}`, () =>
  empty(async (connection) => {
    const committing = { ...third, sql: "CREATE TABLE c (x text); COMMIT" }
    await expect(migratePostgres(connection, AT, knowing(committing))).rejects.toThrow(
      "migration 0003_c ended the transaction it runs in",
    )
    expect(await pendingNames(connection, knowing(committing))).toEqual(["0003_c"])
  }),
)

async function refusal(connection: ReservedSQL, binary: typeof known): Promise<string> {
  const errors: unknown[] = []
  await pendingPostgresMigrations(connection, binary).catch((error) => errors.push(error))
  await migratePostgres(connection, AT, binary).catch((error) => errors.push(error))
  expect(errors.map((error) => error instanceof SchemaMismatch)).toEqual([true, true])
  const messages = new Set(errors.map((error) => (error as Error).message))
  expect(messages.size).toBe(1)
  return [...messages].join()
}

test.skipIf(!HAS_POSTGRES)(
  `a database that this binary does not know is refused by name and stays as it is${NOT_RUN}`,
  () =>
    empty(async (connection) => {
      await migratePostgres(connection, AT, known)
      expect(await refusal(connection, knowing(third))).toBe(
        "database has migration 0004_d, which this binary does not know",
      )
      expect(await refusal(connection, knowing(third, { ...fourth, postgres: "SELECT 1" }))).toBe(
        "migration 0004_d in the database differs from the one in this binary",
      )
      const other = baseOf("CREATE TABLE b (x text)")
      expect(await refusal(connection, { ...known, base: other })).toBe(
        `database begins with base_0002_b, which differs from base_0002_b of this binary: ${base.sha256.slice(0, 12)} instead of ${other.sha256.slice(0, 12)}`,
      )
      const later = { ...baseOf("CREATE TABLE a (x text)", 3), name: "0003_c" }
      expect(await refusal(connection, { ...known, base: later })).toStartWith(
        "database begins with base_0002_b, which differs from base_0003_c of this binary",
      )
      expect(await rowsOf(connection, "SELECT ordinal FROM schema_migration")).toEqual([["2"], ["3"], ["4"]])
    }),
)

test.skipIf(!HAS_POSTGRES)(`a migration inserted before applied ones is refused${NOT_RUN}`, () =>
  empty(async (connection) => {
    await migratePostgres(connection, AT, knowing(fourth))
    expect(await refusal(connection, known)).toBe("database has migration 0004_d but not 0003_c, which comes before it")
  }),
)

test.skipIf(!HAS_POSTGRES)(`reading the pending migrations writes nothing${NOT_RUN}`, () =>
  empty(async (connection) => {
    await pendingPostgresMigrations(connection, known)
    expect(
      await rowsOf(connection, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    ).toEqual([])
  }),
)

test.skipIf(!HAS_POSTGRES)(`an empty schema, one of this program and one of another are told apart${NOT_RUN}`, () =>
  empty(async (connection) => {
    expect(await postgresContents(connection)).toBe("EMPTY")
    await connection.unsafe("CREATE VIEW other AS SELECT 1")
    expect(await postgresContents(connection)).toBe("FOREIGN")
    await migratePostgres(connection, AT, known)
    expect(await postgresContents(connection)).toBe("OWN")
  }),
)

test.skipIf(!HAS_POSTGRES)(`of connections that migrate at once, each migration is applied by one${NOT_RUN}`, () =>
  empty(async (_, url) => {
    const sql = new SQL(url, { max: 4 })
    const connections = await Promise.all([1, 2, 3, 4].map(() => sql.reserve()))
    for (const connection of connections) await connection.unsafe("SET default_transaction_isolation TO 'serializable'")
    const applied = await Promise.all(connections.map((connection) => migratePostgres(connection, AT, known)))
    expect(applied.flat().toSorted()).toEqual(["0003_c", "0004_d", "base_0002_b"])
    for (const connection of connections) connection.release()
    await sql.close()
  }),
)

test.skipIf(!HAS_POSTGRES)(
  `a migration says for whom it waits until no process uses the schema; without a pending one nothing waits${NOT_RUN}`,
  () =>
    empty(async (connection, url) => {
      await migratePostgres(connection, AT, knowing(third))
      const [one, other] = [new SQL(url, { max: 1 }), new SQL(url, { max: 1 })]
      for (const serving of [one, other]) await useSchema(await serving.reserve())
      expect(await migratePostgres(connection, AT, knowing(third))).toEqual([])
      const seen: (number | readonly string[])[] = []
      const watch = {
        applied: (count: number) => seen.push(count),
        waits: (others: readonly string[]) => seen.push(others),
      }
      const migrating = migratePostgres(connection, AT, known, watch)
      await until("the migration waits", () => seen.length > 0)
      await Bun.sleep(600)
      const since = expect.stringMatching(/^127\.0\.0\.1 since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(seen).toEqual([[since, since]])
      await one.close({ timeout: 0 })
      await until("the migration waits for one process", () => seen.length > 1)
      await other.close({ timeout: 0 })
      expect(await migrating).toEqual(["0004_d"])
      expect(seen).toEqual([[since, since], [since], 1])
    }),
)

test.skipIf(!HAS_POSTGRES)(
  `a migration waits for each process whose row is young, says who lives whenever that changes, and then goes on${NOT_RUN}`,
  () =>
    empty(async (connection, url) => {
      const instances = `CREATE TABLE instance (instance_id text COLLATE "C", host text, pid bigint, release text, started_at text, seen_at text COLLATE "C")`
      await migratePostgres(connection, AT, { base: baseOf(instances), migrations: covered })
      const sql = new SQL(url, { max: 1 })
      const put = (id: number, ago: number) =>
        sql.unsafe("INSERT INTO instance VALUES ($1, $2, $3, '1.4.0', $4, $5)", [
          ...[String(id), `web-${id}`, String(id), AT, new Date(Date.now() - ago).toISOString()],
        ])
      const gone = (id: number) => sql.unsafe("DELETE FROM instance WHERE instance_id = $1", [String(id)])
      await put(1, 0)
      await put(2, 13_000)
      await put(3, 16_000)
      await put(4, -20_000)
      const seen: (number | readonly string[])[] = []
      const watch = {
        applied: (count: number) => seen.push(count),
        waits: (others: readonly string[]) => seen.push(others),
      }
      const newer = { ...fourth, postgres: "CREATE TABLE newer (x text)" }
      const migrating = migratePostgres(
        connection,
        AT,
        { base: baseOf(instances), migrations: [...covered, { ...newer, ordinal: 3 }] },
        watch,
      )
      const [one, two] = ["web-1 (process 1, release 1.4.0)", "web-2 (process 2, release 1.4.0)"]
      await until("the migration waits", () => seen.length > 0)
      expect(seen).toEqual([[one, two]])
      await until("the row of the second is old", () => seen.length > 1)
      expect(seen).toEqual([[one, two], [one]])
      await gone(1)
      expect(await migrating).toEqual(["0004_d"])
      expect(seen).toEqual([[one, two], [one], 1])
      await sql.close()
    }),
)

test.skipIf(!HAS_POSTGRES)(`a connection that is lost in a migration leaves nothing of it${NOT_RUN}`, () =>
  empty(async (connection, url) => {
    await migratePostgres(connection, AT, knowing())
    const sql = new SQL(url, { max: 1 })
    const dying = await sql.reserve()
    const fatal = { ...third, fill: () => fillText("SELECT pg_terminate_backend(pg_backend_pid())") }
    await expect(migratePostgres(dying, AT, knowing(fatal))).rejects.toThrow()
    expect(await migratePostgres(connection, AT, known)).toEqual(["0003_c", "0004_d"])
    await sql.close()
  }),
)
