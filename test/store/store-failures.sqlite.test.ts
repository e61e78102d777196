import type { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { sqliteTable, text } from "drizzle-orm/sqlite-core"
import { CommitOutcomeUnknown } from "../../src/store/engine/store-error.ts"
import { query, rows, type Unit } from "../../src/store/engine/unit.ts"
import { list, openNonces, put } from "./nonce-rows.ts"
import { bench, failing, failWith, outcome, STILL, tap } from "./store-bench.ts"

describe("a full disk", () => {
  const big = "x".repeat(3_000)
  const cap = (database: Database, pages: number) => database.run(`PRAGMA max_page_count = ${pages}`)
  const pages = (database: Database) => (database.query("PRAGMA page_count").get() as { page_count: number }).page_count

  /** A table without a constraint has no statement journal: an insert on a full disk rolls back the whole transaction. */
  const spool = sqliteTable("spool", { text: text("text") })
  const spoolRow = query((db) => db.insert(spool).values({ text: big }).returning({ text: spool.text }))

  test(
    "fails its batch once: the unit that filled it gets FULL, and the others run again alone and in order",
    bench(async ({ store, database, onDisk, fatal }) => {
      database.run("CREATE TABLE spool (text TEXT) STRICT")
      cap(database, pages(database) + 2)
      const ran: string[] = []
      const batches: number[] = []
      tap(database, (sql) => {
        if (sql === "BEGIN IMMEDIATE") batches.push(0)
        if (sql === "SAVEPOINT unit") batches.push((batches.pop() ?? 0) + 1)
      })
      let resumed = 0
      function* greedy(): Unit<void> {
        ran.push("greedy")
        for (let i = 0; i < 50; i++) {
          yield* rows(spoolRow)
          if (!database.inTransaction) resumed++
        }
      }
      const small = (nonce: string) =>
        function* (): Unit<string> {
          ran.push(nonce)
          return yield* put(nonce)
        }
      const results = await Promise.all([
        outcome(store.run(small("a"))),
        outcome(store.run(() => failing("b", "bug"))),
        outcome(store.run(small("c"))),
        outcome(store.run(greedy)),
        outcome(store.run(small("d"))),
      ])
      expect(results).toEqual(["a", "bug", "c", "FULL", "d"])
      expect(ran).toEqual(["a", "a", "c", "greedy", "a", "c", "greedy", "a", "c", "d"])
      // Savepoints of each batch: none, then those of the units whose batch was lost; each of the last batches has one unit.
      expect(batches).toEqual([0, 2, 4, 1, 1, 1, 0])
      expect(resumed).toBe(0)
      expect(onDisk()).toEqual(["a", "c", "d"])
      expect(fatal).toEqual([])
      cap(database, 1_000_000)
      await store.run(greedy)
      expect(database.query("SELECT count(*) AS n FROM spool").get()).toEqual({ n: 50 })
    }, STILL),
  )

  test(
    "undoes only the unit that needs too much if SQLite keeps the transaction",
    bench(async ({ store, database, onDisk }) => {
      cap(database, pages(database) + 2)
      function* greedy(): Unit<void> {
        for (let i = 0; i < 50; i++) yield* put(`g${i}`, "s", big)
      }
      const results = await Promise.all([
        outcome(store.run(() => put("a"))),
        outcome(store.run(greedy)),
        outcome(store.run(() => put("b"))),
      ])
      expect(results).toEqual(["a", "FULL", "b"])
      expect(onDisk()).toEqual(["a", "b"])
      cap(database, 1_000_000)
      await store.run(greedy)
      expect(onDisk().length).toBe(52)
    }),
  )

  test(
    "leaves exactly the acknowledged rows on the disk",
    bench(async ({ store, database, onDisk, fatal }) => {
      cap(database, pages(database) + 12)
      const nonces = Array.from({ length: 90 }, (_, i) => `n${i}`)
      const results = await Promise.all(nonces.map((nonce) => outcome(store.run(() => put(nonce, "s", big)))))
      const acknowledged = nonces.filter((nonce, i) => results[i] === nonce)
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(results.filter((result) => result === "FULL").length).toBe(90 - acknowledged.length)
      expect(acknowledged.length).toBeLessThan(90)
      expect(onDisk()).toEqual(acknowledged.sort())
      expect(fatal).toEqual([])
    }),
  )

  test(
    "at a savepoint fails the batch, not the process",
    bench(async ({ store, database, onDisk }) => {
      let savepoints = 0
      tap(database, (sql) => {
        if (sql === "SAVEPOINT unit" && ++savepoints === 2) failWith("SQLITE_FULL")
      })
      const results = await Promise.all([
        outcome(store.run(() => put("a"))),
        outcome(store.run(() => failing("b", "bug"))),
        outcome(store.run(() => put("c"))),
      ])
      expect(results).toEqual(["a", "FULL", "c"])
      expect(onDisk()).toEqual(["a", "c"])
    }, STILL),
  )
})

describe("a commit that fails", () => {
  test.each(["SQLITE_FULL", "SQLITE_BUSY"])(
    "with %s writes nothing and rejects the whole batch, and later work succeeds",
    (code) =>
      bench(async ({ store, database, onDisk, fatal }) => {
        let failures = 1
        tap(database, (sql) => {
          if (sql === "COMMIT" && failures-- > 0) failWith(code)
        })
        const results = await Promise.all(["a", "b"].map((nonce) => outcome(store.run(() => put(nonce)))))
        const reason = code.slice("SQLITE_".length)
        expect(results).toEqual([reason, reason])
        expect(onDisk()).toEqual([])
        expect(await store.run(() => put("c"))).toBe("c")
        expect(onDisk()).toEqual(["c"])
        expect(fatal).toEqual([])
      }, STILL)(),
  )

  test(
    "at fsync has an unknown outcome: it is fatal, acknowledges nothing, and no more work is accepted",
    bench(async ({ store, database, fatal }) => {
      tap(database, (sql) => {
        if (sql === "COMMIT") failWith("SQLITE_IOERR_FSYNC")
      })
      const results = await Promise.all(["a", "b"].map((nonce) => outcome(store.run(() => put(nonce)))))
      for (const result of results) expect(result).toBeInstanceOf(CommitOutcomeUnknown)
      expect(fatal.length).toBe(1)
      expect(await outcome(store.run(() => put("c")))).toBeInstanceOf(CommitOutcomeUnknown)
      expect(await outcome(store.read(() => list()))).toBeInstanceOf(CommitOutcomeUnknown)
    }),
  )

  test(
    "on a deferred constraint is fatal and releases the lock",
    bench(async ({ store, database, onDisk, fatal, path }) => {
      database.run("CREATE TABLE parent (id TEXT PRIMARY KEY) STRICT")
      database.run("CREATE TABLE child (id TEXT REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED) STRICT")
      database.run(
        "CREATE TRIGGER orphan AFTER INSERT ON used_nonce BEGIN INSERT INTO child (id) VALUES (NEW.nonce); END",
      )
      expect(await outcome(store.run(() => put("a")))).toBeInstanceOf(CommitOutcomeUnknown)
      expect(fatal.length).toBe(1)
      expect(onDisk()).toEqual([])
      const next = openNonces(path)
      next.run("BEGIN IMMEDIATE")
      next.run("ROLLBACK")
      next.close(false)
    }),
  )
})
