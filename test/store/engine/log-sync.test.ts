import { describe, expect, test } from "bun:test"
import { readlinkSync } from "node:fs"
import { QUEUE_UNITS_MAX } from "../../../src/store/engine/limits.ts"
import { LogSync, type Sync } from "../../../src/store/engine/sqlite/log-sync.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { CommitOutcomeUnknown } from "../../../src/store/engine/store-error.ts"
import { has, list, openNonces, put } from "../nonce-rows.ts"
import { type Bench, bench, outcome, STILL } from "../store-bench.ts"

/** A disk whose syncs end when the test says so. */
class HeldDisk {
  begun = 0
  private readonly held: ((error: Error | null) => void)[] = []
  private isFree = false

  readonly sync: Sync = (_, done) => {
    this.begun++
    if (this.isFree) setImmediate(done, null)
    else this.held.push(done)
  }

  /** Ends the sync under way. */
  end(error: Error | null = null): void {
    const done = this.held.shift()
    if (!done) throw new Error("no sync is under way")
    done(error)
  }

  /** From now on every sync ends by itself. */
  free(): void {
    this.isFree = true
    for (const done of this.held.splice(0)) done(null)
  }
}

/** What other processes did before is on the disk: the first read of a connection syncs it. */
function onHeldDisk(use: (bench: Bench, disk: HeldDisk) => Promise<void>): () => Promise<void> {
  const disk = new HeldDisk()
  const held = async (opened: Bench) => {
    try {
      const first = opened.store.read(() => list())
      disk.end()
      await first
      disk.begun = 0
      await use(opened, disk)
    } finally {
      disk.free()
    }
  }
  return bench(held, STILL, disk.sync)
}

/** Enough turns of the event loop for everything that waits for no disk. */
async function turns(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
}

const noted = (order: string[], name: string, work: Promise<unknown>) => work.then(() => void order.push(name))

describe("a unit", () => {
  test(
    "resolves when a sync that began after its commit has ended; the next sync covers all commits made meanwhile",
    onHeldDisk(async ({ store, onDisk }, disk) => {
      const order: string[] = []
      const first = noted(
        order,
        "a",
        store.run(() => put("a")),
      )
      await turns()
      const b = noted(
        order,
        "b",
        store.run(() => put("b")),
      )
      await turns()
      const c = noted(
        order,
        "c",
        store.run(() => put("c")),
      )
      await turns()
      expect(onDisk()).toEqual(["a", "b", "c"])
      expect([disk.begun, order]).toEqual([1, []])
      disk.end()
      await first
      await turns()
      expect([disk.begun, order]).toEqual([2, ["a"]])
      disk.end()
      await Promise.all([b, c])
      expect([disk.begun, order]).toEqual([2, ["a", "b", "c"]])
    }),
  )

  test(
    "that waits for the disk counts in the queue: above the limit a new one gets BUSY at once",
    onHeldDisk(async ({ store }, disk) => {
      const first = store.run(() => put("first"))
      await turns()
      const taken = Array.from({ length: QUEUE_UNITS_MAX - 1 }, () => store.run(() => has("a")))
      await turns()
      expect(await outcome(store.run(() => put("late")))).toBe("BUSY")
      disk.free()
      expect(await first).toBe("first")
      expect((await Promise.all(taken)).length).toBe(QUEUE_UNITS_MAX - 1)
      expect(await store.run(() => put("later"))).toBe("later")
    }),
  )

  test(
    "that throws is rejected when the commits that it has seen are on the disk",
    onHeldDisk(async ({ store }, disk) => {
      const order: string[] = []
      const bug = new Error("a bug")
      const earlier = store.run(() => put("a"))
      await turns()
      const broken = outcome(
        store.run(() => {
          throw bug
        }),
      ).then((error) => void order.push(String(error)))
      await turns()
      expect(order).toEqual([])
      disk.end()
      await Promise.all([earlier, broken])
      expect(order).toEqual([String(bug)])
      expect(disk.begun).toBe(1)
    }),
  )

  test("is on the disk before close() ends", async () => {
    const disk = new HeldDisk()
    const order: string[] = []
    const closing = bench(
      async ({ store }) => {
        void noted(
          order,
          "unit",
          store.run(() => put("a")),
        )
        await turns()
        void store.close().then(() => order.push("closed"))
        await turns()
        expect(order).toEqual([])
        disk.free()
      },
      STILL,
      disk.sync,
    )
    await closing()
    expect(order).toEqual(["unit", "closed"])
  })
})

describe("a read", () => {
  const kinds = {
    read: (store: SqliteStore) => store.read(() => list()),
    readTogether: (store: SqliteStore) => store.readTogether(() => list()),
  }

  test.each(Object.entries(kinds))("by %s resolves when the commits that it shows are on the disk", (_, readBy) =>
    onHeldDisk(async ({ store }, disk) => {
      const order: string[] = []
      const unit = noted(
        order,
        "unit",
        store.run(() => put("a")),
      )
      await turns()
      const read = readBy(store)
      const reading = noted(order, "read", read)
      await turns()
      expect([disk.begun, order]).toEqual([1, []])
      disk.end()
      await Promise.all([unit, reading])
      expect(await read).toEqual(["a"])
      expect(disk.begun).toBe(1)
    })(),
  )

  test(
    "that is cached by its version is not valid while a commit is not on the disk",
    onHeldDisk(async ({ store, path }, disk) => {
      const before = store.version()
      const unit = store.run(() => put("a"))
      expect(store.version()).toBe(before)
      await turns()
      expect(store.version()).toBeNaN()
      disk.end()
      await unit
      const after = store.version()
      expect([after === before, after === store.version()]).toEqual([false, true])
      const other = openNonces(path)
      await new SqliteStore(other, () => {}).run(() => put("theirs"))
      expect(store.version()).toBeNaN()
      const reading = store.read(() => list())
      disk.end()
      expect(await reading).toEqual(["a", "theirs"])
      expect(store.version()).toBe(store.version())
      other.close(true)
    }),
  )

  test(
    "resolves at once when everything is on the disk",
    onHeldDisk(async ({ store }, disk) => {
      const unit = store.run(() => put("a"))
      await turns()
      disk.end()
      await unit
      expect(await store.read(() => list())).toEqual(["a"])
      expect(await store.readTogether(() => list())).toEqual(["a"])
      expect(disk.begun).toBe(1)
    }),
  )

  test.each(Object.entries(kinds))("by %s syncs what another connection has committed", (_, readBy) =>
    onHeldDisk(async ({ store, path }, disk) => {
      const other = openNonces(path)
      other.run("PRAGMA synchronous = OFF")
      const others = new SqliteStore(other, () => {})
      await others.run(() => put("theirs"))
      const order: string[] = []
      const read = readBy(store)
      const reading = noted(order, "read", read)
      await turns()
      expect([disk.begun, order]).toEqual([1, []])
      disk.end()
      await reading
      expect(await read).toEqual(["theirs"])
      await others.close()
    })(),
  )
})

describe("a sync that fails", () => {
  const failure = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" })

  test(
    "ends the store: nobody who waits succeeds, the process is told once, and nothing is accepted any more",
    onHeldDisk(async ({ store, fatal }, disk) => {
      const waiting = [outcome(store.run(() => put("a")))]
      await turns()
      waiting.push(outcome(store.run(() => put("b"))), outcome(store.read(() => list())))
      await turns()
      waiting.push(outcome(store.run(() => put("queued"))), outcome(store.readTogether(() => list())))
      disk.end(failure)
      for (const result of await Promise.all(waiting)) expect(result).toBeInstanceOf(CommitOutcomeUnknown)
      expect(fatal).toEqual([failure])
      expect(disk.begun).toBe(1)
      const later = [store.run(() => put("c")), store.read(() => list()), store.readTogether(() => list())]
      for (const work of later) expect(await outcome(work)).toBeInstanceOf(CommitOutcomeUnknown)
    }),
  )

  test(
    "because the log cannot be opened is the same",
    bench(async ({ database, path }) => {
      const fatal: unknown[] = []
      const durability = new LogSync(`${path}-missing`)
      const store = new SqliteStore(database, (error) => fatal.push(error), { durability })
      expect(await outcome(store.run(() => put("a")))).toBeInstanceOf(CommitOutcomeUnknown)
      expect(fatal).toEqual([expect.objectContaining({ code: "ENOENT" })])
    }),
  )
})

test.skipIf(process.platform !== "linux")(
  "the write-ahead log of the database is synced, and SQLite leaves its commits to that",
  async () => {
    const synced: string[] = []
    const sync: Sync = (descriptor, done) => {
      synced.push(readlinkSync(`/proc/self/fd/${descriptor}`))
      done(null)
    }
    let log = ""
    await bench(
      async ({ store, database, path }) => {
        log = `${path}-wal`
        await store.run(() => put("a"))
        expect(database.query("PRAGMA synchronous").get()).toEqual({ synchronous: 1 })
      },
      STILL,
      sync,
    )()
    expect(synced).toEqual([log])
  },
)
