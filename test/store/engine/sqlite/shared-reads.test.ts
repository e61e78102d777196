import { expect, test } from "bun:test"
import { realMachine } from "../../../../src/base/machine.ts"
import { WAITING_READS_MAX } from "../../../../src/store/engine/limits.ts"
import type { Settle } from "../../../../src/store/engine/sqlite/log-sync.ts"
import { SharedReads, VIEW_MS_MAX } from "../../../../src/store/engine/sqlite/shared-reads.ts"
import { StoreClosed, StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { list, openNonces, put } from "../../nonce-rows.ts"
import { bench, failWith, outcome, STILL, tap } from "../../store-bench.ts"

function* listAt(version: number): Unit<{ version: number; nonces: string[] }> {
  return { version, nonces: yield* list() }
}

test(
  "reads of one turn share one view and get its version",
  bench(async ({ store, database }) => {
    await store.run(() => put("a"))
    const said: string[] = []
    tap(database, (sql) => said.push(sql))
    const seen = await Promise.all(Array.from({ length: 50 }, () => store.readTogether(listAt)))
    expect(said).toEqual(["BEGIN", "ROLLBACK"])
    expect(seen).toEqual(Array(50).fill({ version: store.version(), nonces: ["a"] }))
  }, STILL),
)

test(
  "the view begins after its last read was requested, so all reads see earlier commits of other processes",
  bench(async ({ store, path }) => {
    await store.run(() => put("a"))
    const before = store.version()
    const first = store.readTogether(listAt)
    const other = openNonces(path)
    other.run("INSERT INTO used_nonce (scope, nonce, expires_at) VALUES ('s', 'b', '2026-01-01T00:00:00.000Z')")
    other.close()
    const seen = await Promise.all([first, store.readTogether(listAt)])
    expect(seen.map(({ nonces }) => nonces)).toEqual([
      ["a", "b"],
      ["a", "b"],
    ])
    expect(new Set(seen.map(({ version }) => version)).size).toBe(1)
    expect(seen[0]?.version).not.toBe(before)
  }),
)

test(
  "an own commit changes the version that the next reads get",
  bench(async ({ store }) => {
    const first = await store.readTogether(listAt)
    expect(await store.readTogether(listAt)).toEqual(first)
    await store.run(() => put("a"))
    const second = await store.readTogether(listAt)
    expect(second).toEqual({ version: store.version(), nonces: ["a"] })
    expect(second.version).not.toBe(first.version)
  }),
)

test(
  "a read that throws does not affect the others, and a read that writes is refused",
  bench(async ({ store, onDisk }) => {
    const bug = new Error("a bug")
    const results = await Promise.all([
      outcome(store.readTogether(() => list())),
      outcome(
        store.readTogether(() => {
          throw bug
        }),
      ),
      outcome(store.readTogether(() => put("w"))),
      outcome(store.readTogether(() => list())),
    ])
    expect(results).toEqual([[], bug, new TypeError("a read unit only reads"), []])
    expect(onDisk()).toEqual([])
  }),
)

test(
  "a view that cannot begin is BUSY for all its reads and for no later one",
  bench(async ({ store, database }) => {
    let failures = 1
    tap(database, (sql) => {
      if (sql === "BEGIN" && failures-- > 0) failWith("SQLITE_BUSY")
    })
    const ask = () => outcome(store.readTogether(() => list()))
    expect(await Promise.all([ask(), ask()])).toEqual(["BUSY", "BUSY"])
    expect(await ask()).toEqual([])
  }),
)

test(
  "a closed store answers waiting reads and accepts no new ones",
  bench(async ({ store }) => {
    await store.run(() => put("a"))
    const waiting = store.readTogether(() => list())
    const closed = store.close()
    expect(await waiting).toEqual(["a"])
    expect(await outcome(store.readTogether(() => list()))).toBeInstanceOf(StoreClosed)
    await closed
  }),
)

test(
  "after a commit of unknown outcome every read fails",
  bench(async ({ store, database, fatal }) => {
    tap(database, (sql) => {
      if (sql === "COMMIT") failWith("SQLITE_IOERR_FSYNC")
    })
    const results = await Promise.all([outcome(store.run(() => put("a"))), outcome(store.readTogether(() => list()))])
    expect(results[1]).toBe(results[0])
    expect(fatal.length).toBe(1)
  }),
)

/** Counts views. Each unit advances the clock by `unitMs`. */
function countingView(unitMs: number) {
  const counted = { clock: 0, views: 0 }
  const view = {
    begin: () => {
      counted.views++
    },
    version: () => counted.views,
    run: <T>(unit: Unit<T>) => {
      counted.clock += unitMs
      return unit.next().value as T
    },
    end: () => {},
    whenDurable: (settles: readonly Settle[]) => {
      for (const settle of settles) settle(null)
    },
  }
  return { counted, reads: new SharedReads(view, { ...realMachine, monotonic: () => counted.clock }) }
}

// biome-ignore lint/correctness/useYield: a unit without a statement
function* told(version: number): Unit<number> {
  return version
}

test("a view that takes too long leaves the other reads for the next turn, in order", async () => {
  const { counted, reads } = countingView(VIEW_MS_MAX)
  const views = await Promise.all(Array.from({ length: 5 }, () => reads.add(told)))
  expect(views).toEqual([1, 1, 2, 2, 3])
  expect(counted.views).toBe(3)
})

test("a read beyond the limit of waiting reads is BUSY at once", async () => {
  const { reads } = countingView(0)
  const waiting = Array.from({ length: WAITING_READS_MAX }, () => reads.add(told))
  await expect(reads.add(told)).rejects.toEqual(new StoreUnavailable("BUSY"))
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([1]))
  expect(await reads.add(told)).toBe(2)
})
