import { describe, expect } from "bun:test"
import { join } from "node:path"
import { migrate } from "../../db/migrate.ts"
import { type Migration, migrations } from "../../db/migrations.ts"
import { BUSY_TIMEOUT_MS, openDatabase } from "../../db/open.ts"
import { createSqlite } from "../../src/store/engine/sqlite/create-sqlite.ts"
import { openSqlite } from "../../src/store/engine/sqlite/sqlite-engine.ts"
import { BUSY_WAIT_MS_MAX } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { until } from "../fixtures/until.ts"
import { list, openNonces, put, withDirectory } from "./nonce-rows.ts"
import { bench, outcome, tap } from "./store-bench.ts"

const test = slowTests(import.meta.path)

/** Another process on the same file, with its standard output line by line. */
function spawn(...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "other-process.ts"), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const decoder = new TextDecoder()
  const reader = child.stdout.getReader()
  let text = ""
  return {
    child,
    /** All complete lines so far, after waiting for more than `known` lines or the end. */
    async lines(known = Number.POSITIVE_INFINITY): Promise<string[]> {
      for (;;) {
        const whole = text.split("\n").slice(0, -1)
        if (whole.length > known) return whole
        const { done, value } = await reader.read()
        if (done) return whole
        text += decoder.decode(value, { stream: true })
      }
    },
  }
}

const AT = "2026-12-01T00:00:00.000Z"
const onFatal = (error: unknown) => {
  throw error
}
/** Of a newer program. It keeps how many nonces were there. */
const further: Migration = {
  ordinal: (migrations.at(-1)?.ordinal ?? 0) + 1,
  name: "further",
  sql: "CREATE TABLE found (nonces INTEGER NOT NULL) STRICT; INSERT INTO found SELECT count(*) FROM used_nonce",
}
/** Changes rows and no table. */
const rowsOnly: Migration = { ...further, sql: "UPDATE meta SET value = value" }
const NEWER = "Error: database unavailable: SCHEMA_NEWER"

/** With a database file of this program. */
const withCurrent = (use: (path: string) => Promise<void>) =>
  withDirectory(async (directory) => {
    const path = join(directory, "bizauth.db")
    await createSqlite(path, AT).store.close()
    await use(path)
  })

function migrateFurther(path: string, migration = further): void {
  const database = openDatabase(path)
  migrate(database, AT, [...migrations, migration])
  database.close(true)
}

function rowsOf<T>(path: string, query: string): T[] {
  const database = openDatabase(path)
  try {
    return database.query<T, []>(query).all()
  } finally {
    database.close(true)
  }
}

describe("with a newer program that migrates the file", () => {
  test(
    "a process that writes meanwhile commits nothing after the migration, and reads nothing",
    withCurrent(async (path) => {
      const older = spawn("own", path, "s", "20000")
      await older.lines(100)
      migrateFurther(path)
      const lines = await older.lines()
      expect(await older.child.exited).toBe(0)
      expect(lines.slice(-2)).toEqual([NEWER, NEWER])
      const [found] = rowsOf<{ nonces: number }>(path, "SELECT nonces FROM found")
      expect(found?.nonces).toBeGreaterThanOrEqual(100)
      expect(rowsOf(path, "SELECT nonce FROM used_nonce")).toHaveLength(found?.nonces ?? 0)
      expect(lines.slice(0, -2)).toHaveLength(found?.nonces ?? 0)
    }),
  )

  for (const migration of [further, rowsOnly]) {
    test(
      `a store that was idle meanwhile refuses each kind of work after: ${migration.sql}`,
      withCurrent(async (path) => {
        const { store } = openSqlite(path, { onFatal })
        await store.run(() => put("before"))
        migrateFurther(path, migration)
        const reading = () => store.read(() => list())
        const together = () => store.readTogether(() => list())
        const writing = () => Promise.all(["a", "b"].map((nonce) => outcome(store.run(() => put(nonce)))))
        expect(await writing()).toEqual(["SCHEMA_NEWER", "SCHEMA_NEWER"])
        expect(await Promise.all([reading, together].map((work) => outcome(work())))).toEqual([
          "SCHEMA_NEWER",
          "SCHEMA_NEWER",
        ])
        expect(() => store.version()).toThrow("SCHEMA_NEWER")
        expect(await writing()).toEqual(["SCHEMA_NEWER", "SCHEMA_NEWER"])
        await store.close()
        expect(rowsOf(path, "SELECT nonce FROM used_nonce")).toEqual([{ nonce: "before" }])
      }),
    )
  }

  test(
    "a store that opens after the migration refuses work, and the lock of the file is free for the newer program",
    withCurrent(async (path) => {
      const engine = openSqlite(path, { onFatal })
      expect(await engine.pendingMigrations()).toEqual([])
      migrateFurther(path)
      expect(await outcome(engine.store.run(() => put("after")))).toBe("SCHEMA_NEWER")
      const newer = openSqlite(path, { onFatal, known: [...migrations, further] })
      expect(await newer.store.run(() => put("newer"))).toBe("newer")
      await Promise.all([engine.store.close(), newer.store.close()])
      expect(rowsOf(path, "SELECT nonce FROM used_nonce")).toEqual([{ nonce: "newer" }])
    }),
  )
})

describe("with another process on the file", () => {
  test(
    "the store waits for a taken lock without blocking the event loop",
    bench(async ({ store, database, path, onDisk }) => {
      const { child, lines } = spawn("hold", path)
      await lines(0)
      const blocking: boolean[] = []
      const timeout = () => (database.query("PRAGMA busy_timeout").get() as { timeout: number }).timeout
      tap(database, (sql) => {
        if (sql === "BEGIN IMMEDIATE") blocking.push(timeout() > 0)
      })
      let turns = 0
      const turning = setInterval(() => turns++, 5)
      const write = store.run(() => put("a"))
      const reads = await store.read(() => list())
      expect(reads).toEqual([])
      await until("the store tries again while the loop turns", () => turns >= 30 && blocking.length > 2)
      expect(onDisk()).toEqual([])
      child.stdin.write("go\n")
      child.stdin.end()
      expect(await write).toBe("a")
      clearInterval(turning)
      expect(blocking.length).toBeGreaterThan(2)
      expect(blocking.indexOf(false)).toBe(1)
      expect(blocking.lastIndexOf(true)).toBe(0)
      expect(timeout()).toBe(BUSY_TIMEOUT_MS)
      await child.exited
      expect(onDisk()).toEqual(["a"])
    }),
  )

  test("a lock that stays taken gives BUSY after the limit, and work succeeds once it is free", async () => {
    const start = performance.now()
    const hurried = () => (performance.now() - start) * (BUSY_WAIT_MS_MAX / 300)
    await bench(async ({ store, path, onDisk }) => {
      const { child, lines } = spawn("hold", path)
      await lines(0)
      const results = await Promise.all(["a", "b"].map((nonce) => outcome(store.run(() => put(nonce)))))
      expect(results).toEqual(["BUSY", "BUSY"])
      child.stdin.write("go\n")
      child.stdin.end()
      await child.exited
      expect(await store.run(() => put("c"))).toBe("c")
      expect(onDisk()).toEqual(["c"])
    }, hurried)()
  })

  test(
    "two writers lose no row",
    bench(async ({ path, onDisk }) => {
      const writers = ["one", "two"].map((scope) => ({ scope, process: spawn("write", path, scope, "400") }))
      for (const { scope, process } of writers) {
        const acknowledged = await process.lines()
        expect(await process.child.exited).toBe(0)
        expect(acknowledged.length).toBe(400)
        expect(onDisk(scope)).toEqual(acknowledged.sort())
      }
    }),
  )

  test("every acknowledged row of twenty processes killed while writing is stored", async () => {
    const round = (n: number) =>
      withDirectory(async (directory) => {
        const path = join(directory, "bizauth.db")
        openNonces(path).close(false)
        const { child, lines } = spawn("write", path, "s", "1000000")
        await lines(20 + n * 17)
        child.kill("SIGKILL")
        const acknowledged = await lines()
        await child.exited
        const database = openNonces(path)
        const found = new Set(
          (database.query("SELECT nonce FROM used_nonce").all() as { nonce: string }[]).map(({ nonce }) => nonce),
        )
        const integrity = database.query("PRAGMA integrity_check").get()
        database.close(false)
        expect(integrity).toEqual({ integrity_check: "ok" })
        return { acknowledged: acknowledged.length, lost: acknowledged.filter((nonce) => !found.has(nonce)) }
      })()
    for (let n = 0; n < 20; n += 4) {
      for (const { acknowledged, lost } of await Promise.all([0, 1, 2, 3].map((i) => round(n + i)))) {
        expect(acknowledged).toBeGreaterThan(20)
        expect(lost).toEqual([])
      }
    }
  })
})
