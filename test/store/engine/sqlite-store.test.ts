/** What only a store on SQLite does. both-engines.test.ts has what each engine does. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { QUEUE_UNITS_MAX } from "../../../src/store/engine/limits.ts"
import { BATCH_MS_MAX, BATCH_UNITS_MAX, SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { has, list, openNonces, put, withDirectory } from "../nonce-rows.ts"
import { bench, failing, outcome, STILL, tap } from "../store-bench.ts"

describe("group commit", () => {
  test(
    "units queued in one turn share one commit",
    bench(async ({ store, database, onDisk }) => {
      const said: string[] = []
      tap(database, (sql) => said.push(sql))
      await Promise.all(["a", "b", "c"].map((nonce) => store.run(() => put(nonce))))
      expect(said.filter((sql) => sql === "BEGIN IMMEDIATE").length).toBe(1)
      expect(said.filter((sql) => sql === "COMMIT").length).toBe(1)
      expect(said).not.toContain("SAVEPOINT unit")
      expect(onDisk()).toEqual(["a", "b", "c"])
    }, STILL),
  )

  test(
    "if a unit throws, the units before it run once more, in savepoints; later units run once",
    bench(async ({ store, database, onDisk }) => {
      const said: string[] = []
      tap(database, (sql) => said.push(sql))
      const ran: string[] = []
      const good = (nonce: string) =>
        function* (): Unit<string> {
          ran.push(nonce)
          return yield* put(nonce)
        }
      const results = await Promise.all([
        outcome(store.run(good("a"))),
        outcome(store.run(() => failing("b", "bug"))),
        outcome(store.run(good("c"))),
      ])
      expect(results).toEqual(["a", "bug", "c"])
      expect(ran).toEqual(["a", "a", "c"])
      const [savepoint, release] = ["SAVEPOINT unit", "RELEASE unit"]
      const guarded = [savepoint, release, savepoint, "ROLLBACK TO unit", release]
      expect(said).toEqual(["BEGIN IMMEDIATE", "ROLLBACK", "BEGIN IMMEDIATE", ...guarded, "COMMIT"])
      await store.run(good("d"))
      expect(said.slice(-2)).toEqual(["BEGIN IMMEDIATE", "COMMIT"])
      expect(onDisk()).toEqual(["a", "c", "d"])
    }, STILL),
  )

  test(
    "a lone unit that throws runs once and leaves nothing",
    bench(async ({ store, onDisk }) => {
      let runs = 0
      function* broken(): Unit<never> {
        runs++
        yield* failing("a", "bug")
        throw new Error("not reached")
      }
      expect(await outcome(store.run(broken))).toBe("bug")
      expect(runs).toBe(1)
      expect(await store.run(() => put("a"))).toBe("a")
      expect(onDisk()).toEqual(["a"])
    }, STILL),
  )

  test(
    "no unit resolves before the commit, and then everybody sees its rows",
    bench(async ({ store, database, onDisk }) => {
      const order: string[] = []
      tap(database, (sql) => {
        if (sql === "COMMIT") order.push(`commit, on disk ${onDisk().length}`)
      })
      await store.run(() => put("a")).then(() => order.push(`told, on disk ${onDisk().length}`))
      expect(order).toEqual(["commit, on disk 0", "told, on disk 1"])
    }),
  )

  test(
    "later units see the writes of earlier units in the same batch",
    bench(async ({ store }) => {
      const [, seen] = await Promise.all([store.run(() => put("a")), store.run(() => has("a"))])
      expect(seen).toBe(true)
    }),
  )

  test(
    `a batch takes at most ${BATCH_UNITS_MAX} units, in the order they came`,
    bench(async ({ store, database }) => {
      const sizes: number[] = []
      let size = 0
      tap(database, (sql) => {
        if (sql !== "COMMIT") return
        sizes.push(size)
        size = 0
      })
      const order: number[] = []
      await Promise.all(
        Array.from({ length: 300 }, (_, i) =>
          store.run(function* () {
            order.push(i)
            size++
            yield* put(String(i))
          }),
        ),
      )
      expect(Math.max(...sizes)).toBeLessThanOrEqual(BATCH_UNITS_MAX)
      expect(sizes.length).toBeGreaterThanOrEqual(3)
      expect(order).toEqual(Array.from({ length: 300 }, (_, i) => i))
    }),
  )

  test("a batch accepts no further unit after it has held the lock long enough", async () => {
    let now = 0
    await bench(
      async ({ store, database }) => {
        let commits = 0
        tap(database, (sql) => {
          if (sql === "COMMIT") commits++
        })
        const slow = (nonce: string) =>
          function* (): Unit<string> {
            now += BATCH_MS_MAX + 1
            return yield* put(nonce)
          }
        await Promise.all(["a", "b", "c"].map((nonce) => store.run(slow(nonce))))
        expect(commits).toBe(3)
      },
      () => now,
    )()
  })

  test(
    "a full queue answers BUSY at once and keeps everything it accepted",
    bench(async ({ store }) => {
      const taken = Array.from({ length: QUEUE_UNITS_MAX }, () => store.run(() => has("a")))
      expect(await outcome(store.run(() => put("late")))).toBe("BUSY")
      expect((await Promise.all(taken)).length).toBe(QUEUE_UNITS_MAX)
      expect(await store.run(() => put("later"))).toBe("later")
    }),
  )
})

describe("reading", () => {
  test(
    "a read neither sees nor affects queued units",
    bench(async ({ store, onDisk }) => {
      const write = store.run(() => put("a"))
      expect(await store.read(() => list())).toEqual([])
      await write
      expect(await store.read(() => list())).toEqual(["a"])
      expect(onDisk()).toEqual(["a"])
    }),
  )

  test(
    "a read that writes leaves no transaction open",
    bench(async ({ store, database }) => {
      expect(await outcome(store.read(() => put("a")))).toBeInstanceOf(TypeError)
      expect(database.inTransaction).toBe(false)
    }),
  )

  test(
    "a read that throws ends its view, so that the next unit can write",
    bench(async ({ store, onDisk }) => {
      const bug = new Error("a bug")
      function* broken(): Unit<never> {
        yield* list()
        throw bug
      }
      expect(await outcome(store.read(broken))).toBe(bug)
      await store.run(() => put("a"))
      expect(onDisk()).toEqual(["a"])
    }),
  )

  test(
    "a read started inside a unit fails alone and does not commit the batch early",
    bench(async ({ store, onDisk }) => {
      let inner: Promise<unknown> = Promise.resolve()
      let seenInside: string[] = []
      const outer = store.run(function* () {
        yield* put("a")
        inner = outcome(store.read(() => list()))
        seenInside = onDisk()
        yield* put("b")
      })
      await outer
      expect(await inner).toBeInstanceOf(Error)
      expect(seenInside).toEqual([])
      expect(onDisk()).toEqual(["a", "b"])
    }),
  )
})

describe("closing", () => {
  test(
    "leaves no write-ahead log, and every queued row in the file",
    withDirectory(async (directory) => {
      const path = join(directory, "bizauth.db")
      const store = new SqliteStore(openNonces(path), () => undefined)
      await store.read(() => list())
      const queued = Promise.all(Array.from({ length: 200 }, (_, i) => store.run(() => put(String(i)))))
      await store.close()
      expect((await queued).length).toBe(200)
      expect(existsSync(`${path}-wal`)).toBe(false)
      const again = openNonces(path)
      expect(again.query("SELECT count(*) AS n FROM used_nonce").get()).toEqual({ n: 200 })
      again.close(false)
    }),
  )
})
