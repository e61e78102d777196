import { describe, expect } from "bun:test"
import { join } from "node:path"
import { SCHEMA_LOCK } from "../../../../db/postgres/schema-users.ts"
import { createLog } from "../../../../src/base/log.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import { aloneOnServer } from "../../../../src/store/engine/open-engine.ts"
import { openPostgres } from "../../../../src/store/engine/postgres/open-postgres.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { DatabaseRefused } from "../../../../src/store/engine/store-error.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { newEmptyPostgresDatabase } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { list, put } from "../../nonce-rows.ts"

const test = slowTests(import.meta.path)

const LOCAL = { hostname: "127.0.0.1", port: 5432 }
const FAR = { hostname: "db.example", port: 5432 }

/** The variables that Bun reads for PostgreSQL, each with a value of another database. PGOPTIONS is left out: it reaches the server, as with libpq. */
const VARIABLES = [
  ...["DATABASE_URL", "DATABASEURL", "POSTGRES_URL", "PGURL", "PG_URL"].flatMap((name) =>
    ["", "TLS_"].map((tls) => [
      `${tls}${name}`,
      "postgresql://other:secret@other.example:7000/app?schema=public&connection_limit=5&path=/tmp/s",
    ]),
  ),
  ["TLS_POSTGRES_DATABASE_URL", "postgresql://other:secret@other.example:7000/app?schema=public"],
  ["DATABASE_URL", "unix:///tmp/x.sock"],
  ["DATABASE_URL", "mysql://other:secret@other.example:7000/app?sslmode=verify-full"],
  ...[
    ["HOST", "/tmp"],
    ["PORT", "7000"],
    ["USER", "other"],
    ["USERNAME", "other"],
    ["PASSWORD", "secret"],
  ].flatMap(([name, value]) => [
    [`PG${name}`, value],
    [`PG_${name}`, value],
  ]),
  ["PGDATABASE", "app"],
  ["PGSSLMODE", "verify-full"],
  ["PGCHANNELBINDING", "require"],
  ["PGCONNECT_TIMEOUT", "1"],
  ["PGAPPNAME", "other"],
] as [name: string, value: string][]

const PRINT_OPTIONS = `
  import { readTarget } from "./src/store/engine/postgres/target-text.ts"
  const [target, variables] = process.argv.slice(1)
  const { hosts: [host], login } = readTarget(target)
  for (const [name, value] of JSON.parse(variables)) {
    process.env[name] = value
    const { password, ...others } = new Bun.SQL({ ...login(host), connectionTimeout: 2 }).options
    console.log(JSON.stringify({ ...others, password: typeof password === "function" ? password() : password }))
    delete process.env[name]
  }`

/** What Bun makes of a login to the only host, once with each variable. */
function optionsWith(target: string, variables: readonly (readonly [name: string, value: string])[]): unknown[] {
  const { stdout } = Bun.spawnSync([process.execPath, "-e", PRINT_OPTIONS, target, JSON.stringify(variables)], {
    cwd: join(import.meta.dir, "../../../.."),
    env: {},
    stderr: "inherit",
  })
  return stdout
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

describe("the text of a target", () => {
  test("hosts, ports, user, password and database are read as libpq reads them", () => {
    const { hosts, user, database, schema, login } = readTarget(
      "postgresql://b%40z:p%3A%2F%3F%23%25@db1.example,db2.example:6000,[2001:db8::1]:7000/the%20db\n",
    )
    expect(hosts).toEqual([
      { hostname: "db1.example", port: 5432 },
      { hostname: "db2.example", port: 6000 },
      { hostname: "2001:db8::1", port: 7000 },
    ])
    expect([user, database, schema]).toEqual(["b@z", "the db", "public"])
    expect(login(FAR)).toMatchObject({ username: "b@z", password: "p:/?#%", database: "the db" })
  })

  test.each([
    ["mysql://u:s3cret@h/d", "must be postgres://"],
    ["postgres://u:s3cret@h", "must be postgres://"],
    ["postgres://u:s3cret@x@h/d", "must be postgres://"],
    ["postgres://:s3cret@h/d", "names no user"],
    ["postgres://u:s3cret:x@h/d", "write %3A"],
    ["postgres://u:s3cret%@h/d", "in the password"],
    ["postgres://u:s3cret@h h/d", "has a host"],
    ["postgres://u:s3cret@h,/d", "has a host"],
    ["postgres://u:s3cret@h:0/d", "has a port"],
    ["postgres://u:s3cret@h:70000/d", "has a port"],
    ["postgres://u:s3cret@h/d?sslmode=s3cret", "has an sslmode other than"],
    ["postgres://u:s3cret@h/d?sslmode=prefer", "has an sslmode other than"],
    ["postgres://u:s3cret@h/d?s3cret=1", "has an option other than"],
    ["postgres://u:s3cret@h/d?sslmode=require&sslmode=require", "has an option twice"],
    ["postgres://u:s3cret@h/d?sslmode=require&sslrootcert=/ca", "verifies nothing"],
  ])("%s is refused", (text, reason) => {
    const refused = () => readTarget(text)
    expect(refused).toThrow(reason)
    expect(refused).not.toThrow("s3cret")
  })

  test("a host elsewhere is verified unless the text says otherwise; one on this machine is not encrypted", () => {
    const tls = (text: string, host = FAR) => {
      const { tls: chosen, url, channelBinding } = readTarget(`postgres://u:p@h/d${text}`).login(host)
      return { tls: chosen, url, channelBinding }
    }
    const full = {
      tls: { rejectUnauthorized: true },
      url: "postgres://host/?sslmode=verify-full",
      channelBinding: "prefer",
    }
    expect(tls("")).toMatchObject(full)
    expect(tls("?sslmode=verify-full")).toMatchObject(full)
    expect(tls("?sslmode=verify-full", LOCAL)).toMatchObject(full)
    expect(tls("?sslmode=verify-ca")).toMatchObject({ ...full, url: "postgres://host/?sslmode=verify-ca" })
    expect(tls("?sslmode=require")).toMatchObject({ tls: "require", url: "postgres://host/?sslmode=require" })
    expect(tls("?sslmode=disable")).toMatchObject({ tls: "disable", url: "postgres://host/?sslmode=disable" })
    for (const hostname of ["127.0.0.1", "127.9.9.9", "localhost", "::1"]) {
      expect(tls("", { ...LOCAL, hostname })).toMatchObject({ tls: "disable" })
    }
    expect(tls("", { ...LOCAL, hostname: "127.0.0.1.example" })).toMatchObject(full)
  })

  test.each(["", "?sslmode=disable", "?sslmode=require", "?sslmode=verify-ca", "?sslmode=verify-full"])(
    "no variable of the environment changes a login with %p",
    (mode) => {
      for (const [user, hostname] of [["u:p", "127.0.0.1"] as const, ["u", "db.example"] as const]) {
        const target = `postgres://${user}@${hostname}/d${mode}`
        const [expected] = optionsWith(target, [["UNRELATED", "x"]])
        expect(expected).toMatchObject({ hostname, port: 5432, username: "u", database: "d", password: user.slice(2) })
        const found = optionsWith(target, VARIABLES)
        expect(found.map((options, at) => [VARIABLES[at], options])).toEqual(VARIABLES.map((one) => [one, expected]))
      }
    },
  )

  test("a target that is printed shows no password", () => {
    const target = readTarget("postgres://u:s3cret@h/d")
    expect(Bun.inspect(target, { depth: 9 }) + JSON.stringify(target)).not.toContain("s3cret")
  })
})

describe.skipIf(!HAS_POSTGRES)(`opening${NOT_RUN}`, () => {
  test("an empty database is migrated, and then keeps units", async () => {
    const { url, drop } = await newEmptyPostgresDatabase()
    const engine = await openPostgres(url)
    expect([await engine.contents(), await engine.metaBefore("x")]).toEqual(["EMPTY", null])
    const pending = (await engine.pendingMigrations()).map(({ name }) => name)
    const counts: number[] = []
    expect(
      await engine.migrate("2026-01-01T00:00:00.000Z", { applied: (count) => counts.push(count), waits: () => {} }),
    ).toEqual(pending)
    expect(counts).toEqual(pending.map((_, at) => at + 1))
    expect([await engine.contents(), await engine.pendingMigrations()]).toEqual(["OWN", []])
    await engine.store.run(() => put("a"))
    expect(await engine.store.read(() => list())).toEqual(["a"])
    await engine.store.close()
    await drop()
  })

  test("a host that cannot be reached and a database that is missing are named, and the password is not", async () => {
    const { url, drop } = await newEmptyPostgresDatabase()
    const { port } = new URL(url)
    const failed = await openPostgres(`postgres://postgres:s3cret@127.0.0.1:1,127.0.0.1:${port}/missing`).catch(
      (error) => error,
    )
    expect(failed.message).toContain("127.0.0.1:1 cannot be reached")
    expect(failed.message).toContain(`127.0.0.1:${port} has no database missing`)
    expect(Bun.inspect(failed, { depth: 9 })).not.toContain("s3cret")
    await drop()
  })

  test("the store of an empty database is refused by name", async () => {
    const { url, drop } = await newEmptyPostgresDatabase()
    const refused = await aloneOnServer(url, async () => "used").catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(DatabaseRefused)
    expect(String(refused)).toContain("the database has no tables of bizauth")
    await drop()
  })

  test("a process that serves keeps others from migrating until it stops", async () => {
    const { url, drop } = await newEmptyPostgresDatabase()
    const engine = await openPostgres(url)
    await engine.migrate("2026-01-01T00:00:00.000Z")
    const client = new Bun.SQL(url, { max: 1 })
    const holders = async () => {
      const rows = await client`select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) + objid::bigint = ${SCHEMA_LOCK}::bigint`
      return rows.length
    }
    const log = createLog("error", () => {}, realMachine.now)
    const workers = engine.workers({ machine: realMachine, log })
    expect(workers.map(({ name }) => name)).toEqual(["unit outcomes", "schema in use", "sequenced log", "log witness"])
    for (const worker of workers) worker.start()
    await until("the schema is in use", async () => (await holders()) === 1)
    await Promise.all(workers.map((worker) => worker.stop()))
    await until("the schema is free", async () => (await holders()) === 0)
    expect(log.raised.error).toBe(0)
    await client.close()
    await engine.store.close()
    await drop()
  })

  test("old outcomes are removed, and new ones stay", async () => {
    const { url, drop } = await newEmptyPostgresDatabase()
    const engine = await openPostgres(url)
    await engine.migrate("2026-01-01T00:00:00.000Z")
    await engine.store.run(() => put("a"))
    const client = new Bun.SQL(url, { max: 1 })
    await client`insert into unit_outcome (id, committed, at) values ('old', 1, '2026-01-01T00:00:00.000Z')`
    await engine.store.purgeOutcomes()
    const left = await client`select id = 'old' as is_old from unit_outcome`.values()
    expect([...left]).toEqual([[false]])
    await client.close()
    await engine.store.close()
    await drop()
  })
})
