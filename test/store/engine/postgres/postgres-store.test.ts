import { describe, expect } from "bun:test"
import { sql } from "drizzle-orm"
import type { Order } from "../../../../src/store/engine/order.ts"
import { ConstraintBroken, StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import { first, holdsOrder, inOrder, query, type Unit } from "../../../../src/store/engine/unit.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { has, list, payloadOf, put, setPayload } from "../../nonce-rows.ts"
import { outcome } from "../../store-bench.ts"
import { lasting, meeting } from "./lasting.ts"
import { postgresBench } from "./postgres-bench.ts"

const test = slowTests(import.meta.path)

const CAP = 20
const STORES = 4

function* addUpToCap(nonce: string, meet: () => Unit<void>): Unit<boolean> {
  if ((yield* list()).length >= CAP) return false
  yield* meet()
  yield* put(nonce)
  return true
}

/** Reads a number, and writes one more. */
function* countUp(): Unit<number> {
  const before = Number(yield* payloadOf("counter"))
  yield* setPayload("counter", String(before + 1))
  return before + 1
}

/** A unit that met others too often writes nothing. */
function unlessUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}

describe.skipIf(!HAS_POSTGRES)(`units side by side${NOT_RUN}`, () => {
  test(
    "two stores race for one row as if one after the other",
    postgresBench(async ({ store, further }) => {
      const stores = [store, further()]
      await store.run(() => put("counter", "s", "0"))
      const seen = await Promise.all(Array.from({ length: 40 }, (_, i) => stores[i % 2]?.run(countUp)))
      expect(seen.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    }),
  )

  test(
    "units with one turn change their row one after the other, beside those of other turns; a failed one passes its turn on",
    postgresBench(async ({ store }) => {
      await store.run(() => put("counter", "s", "0"))
      const turn = { turn: "the counter" }
      const fails = store.run(function* () {
        yield* countUp()
        throw new Error("fails")
      }, turn)
      const counted = Array.from({ length: 40 }, () => store.run(countUp, turn))
      const meet = meeting(2)
      // Both run at once although the first turn is taken.
      const met = ["one", "other"].map((name) => store.run(meet, { turn: name }))
      expect(fails).rejects.toThrow("fails")
      expect(await Promise.all(counted)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
      await Promise.all(met)
      expect(store.counts.repeats).toEqual({})
    }),
  )

  /** The first unit of each store has read before any of them writes. `there`: rows before the race. */
  const race = (isolation: "serializable" | "repeatable read", there: number, judge: (count: number) => void) =>
    postgresBench(
      async ({ store, further, committed }) => {
        const stores = [store, ...Array.from({ length: STORES - 1 }, () => further())]
        for (let n = 0; n < there; n++) await store.run(() => put(`before${n}`))
        const meet = meeting(STORES)
        await Promise.all(
          Array.from({ length: 80 }, (_, i) =>
            stores[i % STORES]?.run(() => addUpToCap(String(i), meet)).catch(unlessUnavailable),
          ),
        )
        judge((await committed()).length)
      },
      { isolation },
    )

  test(
    "a cap that a unit reads and then fills holds",
    race("serializable", 0, (count) => expect(count).toBe(CAP)),
  )

  test(
    "one of many units gets the last place below a cap",
    race("serializable", CAP - 1, (count) => expect(count).toBe(CAP)),
  )

  test(
    "several units get the last place with REPEATABLE READ: a test of the tests above",
    race("repeatable read", CAP - 1, (count) => expect(count).toBeGreaterThanOrEqual(CAP - 1 + STORES)),
  )

  test(
    "a unit that loses a race for a unique key runs again, and sees the row of the winner",
    postgresBench(async ({ store, further }) => {
      function* once(nonce: string): Unit<string> {
        if (yield* has(nonce)) return "there"
        yield* put(nonce)
        return "new"
      }
      const stores = [store, further()]
      const seen = await Promise.all(Array.from({ length: 12 }, (_, i) => stores[i % 2]?.run(() => once("a"))))
      expect(seen.filter((one) => one === "new").length).toBe(1)
    }),
  )

  test(
    "a unique key that stays taken rejects with its name, after three runs, and without values",
    postgresBench(async ({ store, committed }) => {
      let runs = 0
      await store.run(() => put("secret-value"))
      const failed = await outcome(
        store.run(function* () {
          runs++
          yield* put("other")
          yield* put("secret-value")
        }),
      )
      expect(failed).toBeInstanceOf(ConstraintBroken)
      expect(failed).toMatchObject({ kind: "UNIQUE", table: "used_nonce", cause: { code: "23505" } })
      expect(Bun.inspect(failed)).not.toContain("secret-value")
      expect(runs).toBe(3)
      expect(await committed()).toEqual(["secret-value"])
    }),
  )

  test(
    "a unit of strangers does not wait for a slow one",
    postgresBench(async ({ store, committed }) => {
      let isOtherDone = false
      const slow = store.run(function* () {
        yield* lasting(() => isOtherDone)
        yield* put("slow")
        return isOtherDone
      })
      await store.run(() => put("quick"))
      isOtherDone = true
      expect(await slow).toBe(true)
      expect(await committed()).toEqual(["quick", "slow"])
    }),
  )
})

describe.skipIf(!HAS_POSTGRES)(`orders${NOT_RUN}`, () => {
  /** Says when it holds the order, and holds it over several answers of the server. */
  const ORDERS: readonly Order[] = ["log", "sequencing"]
  const holding = (inside: Set<string>, name: string, most: { count: number }, order: Order = "log") =>
    function* (): Unit<string> {
      yield* inOrder(order)
      inside.add(name.slice(0, 1))
      most.count = Math.max(most.count, inside.size)
      for (let i = 0; i < 3; i++) yield* has("nothing")
      yield* put(name)
      inside.delete(name.slice(0, 1))
      return name
    }

  test(
    "never overlap over two stores",
    postgresBench(async ({ store, further, committed }) => {
      const [other, inside, most] = [further(), new Set<string>(), { count: 0 }]
      const names = Array.from({ length: 30 }, (_, i) => `${i % 2}-${String(i).padStart(2, "0")}`)
      await Promise.all(
        names.map((name) => (name.startsWith("0") ? store : other).run(holding(inside, name, most), "log")),
      )
      expect(most.count).toBe(1)
      expect(await committed()).toEqual(names.toSorted())
    }),
  )

  test(
    "a unit that did not name its order runs again with it; one that named it runs once",
    postgresBench(async ({ store }) => {
      let runs = 0
      function* ordered(nonce: string): Unit<boolean> {
        runs++
        yield* put(nonce)
        yield* inOrder("log")
        return yield* holdsOrder("log")
      }
      expect(await store.run(() => ordered("a"))).toBe(true)
      expect(runs).toBe(2)
      expect(await store.run(() => ordered("b"), "log")).toBe(true)
      expect(runs).toBe(3)
      expect(await store.run(() => holdsOrder("log"))).toBe(false)
    }),
  )

  test(
    "a unit that gives leaves to capsules relies on its order alone; every other unit is SERIALIZABLE",
    postgresBench(async ({ store }) => {
      const isolation = query((db, { logHead: t }) =>
        db.select({ level: sql`current_setting('transaction_isolation')`.mapWith(String) }).from(t),
      )
      const level = (order?: Order) => store.run(() => first(isolation), order)
      const levels = [await level("sequencing"), await level("log"), await level()]
      expect(levels.map((found) => found?.level)).toEqual(["read committed", "serializable", "serializable"])
    }),
  )

  test(
    "the two orders of the log exclude each other, and are not each other",
    postgresBench(async ({ store, further, committed }) => {
      const [inside, most] = [new Set<string>(), { count: 0 }]
      const names = Array.from({ length: 20 }, (_, i) => `${i % 2}-${String(i).padStart(2, "0")}`)
      const other = further()
      await Promise.all(
        names.map((name, i) =>
          (i % 4 < 2 ? store : other).run(holding(inside, name, most, ORDERS[i % 2]), ORDERS[i % 2]),
        ),
      )
      expect(most.count).toBe(1)
      expect(await committed()).toEqual(names.toSorted())
      expect(await store.run(() => holdsOrder("log"), "sequencing")).toBe(false)
    }),
  )

  test(
    "units in one order share a transaction, and one that throws undoes only itself",
    postgresBench(async ({ store, admin, committed }) => {
      const bug = new Error("a bug")
      const number = async () =>
        Number((await admin`select pg_snapshot_xmax(pg_current_snapshot())::text as next`)[0].next)
      await store.run(() => put("first"), "log")
      const before = await number()
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          outcome(
            store.run(function* () {
              yield* put(String(i))
              if (i === 7) throw bug
              if (i === 9) yield* put("first")
              return i
            }, "log"),
          ),
        ),
      )
      expect(results[7]).toBe(bug)
      expect(results[9]).toMatchObject({ kind: "UNIQUE", table: "used_nonce" })
      expect(results.filter((one) => typeof one === "number").length).toBe(18)
      expect((await committed()).length).toBe(19)
      // One for each savepoint, and a few transactions.
      expect((await number()) - before).toBeLessThan(20 + 12)
    }),
  )
})
