/** What {@link Store} promises, on every engine. */
import { expect } from "bun:test"
import { UNIT_STATEMENTS_MAX } from "../../../src/store/engine/drive-unit.ts"
import { ConstraintBroken, StoreClosed } from "../../../src/store/engine/store-error.ts"
import { changed, holdsOrder, inOrder, type Store, type Unit, write } from "../../../src/store/engine/unit.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { has, list, put } from "../nonce-rows.ts"
import { bench, failing, outcome } from "../store-bench.ts"
import { onEngines } from "./on-engines.ts"
import { postgresBench } from "./postgres/postgres-bench.ts"

const test = slowTests(import.meta.path)

interface EngineBench {
  readonly store: Store
  /** What another connection sees. */
  committed(): Promise<string[]>
}

type Use = (bench: EngineBench) => Promise<void>

const describeEach = onEngines<(use: Use) => () => Promise<void>>({
  SQLite: (use) => bench(({ store, onDisk }) => use({ store, committed: async () => onDisk() })),
  PostgreSQL: postgresBench,
})

const removeAll = write((db, { usedNonce: t }) => db.delete(t))

describeEach("units that write", (on) => {
  test(
    "no unit resolves before its rows are committed",
    on(async ({ store, committed }) => {
      await store.run(() => put("a"))
      expect(await committed()).toEqual(["a"])
      await store.runInPlace(() => put("b"))
      expect(await committed()).toEqual(["a", "b"])
    }),
  )

  test(
    "a unit that throws rejects with its own error, leaves nothing, and does not affect the other units",
    on(async ({ store, committed }) => {
      const bug = new Error("a bug")
      const results = await Promise.all([
        outcome(store.run(() => put("a"))),
        outcome(store.run(() => failing("b", bug))),
        outcome(store.run(() => failing("c", undefined))),
        outcome(
          store.run(() => {
            throw bug
          }),
        ),
        outcome(store.run(() => put("d"))),
      ])
      expect(results).toEqual(["a", bug, undefined, bug, "d"])
      expect(await committed()).toEqual(["a", "d"])
    }),
  )

  test(
    "a statement that breaks a constraint undoes only its unit, and the statement stays usable",
    on(async ({ store, committed }) => {
      function* twice(): Unit<void> {
        yield* put("x")
        yield* put("a")
      }
      await store.run(() => put("a"))
      const [before, broken, after] = await Promise.all([
        outcome(store.run(() => put("b"))),
        outcome(store.run(twice)),
        outcome(store.run(() => put("c"))),
      ])
      expect([before, after]).toEqual(["b", "c"])
      expect(broken).toBeInstanceOf(ConstraintBroken)
      expect(broken).toMatchObject({ kind: "UNIQUE", table: "used_nonce" })
      expect(await committed()).toEqual(["a", "b", "c"])
    }),
  )

  test(
    "a refusal is a value, so its unit commits like any other",
    on(async ({ store, committed }) => {
      function* refusing(): Unit<"REFUSED"> {
        yield* put("attempt")
        return "REFUSED"
      }
      expect(await store.run(refusing)).toBe("REFUSED")
      expect(await committed()).toEqual(["attempt"])
    }),
  )

  test(
    "a unit sees its own writes, and changed rows are counted",
    on(async ({ store, committed }) => {
      const seen = await store.run(function* () {
        yield* put("a")
        yield* put("b")
        const both = [yield* has("a"), (yield* list()).toSorted()]
        return [...both, yield* changed(removeAll), yield* list()]
      })
      expect(seen).toEqual([true, ["a", "b"], 2, []])
      expect(await committed()).toEqual([])
    }),
  )

  test(
    "a unit without a statement, or that only reads, is a unit",
    on(async ({ store }) => {
      // biome-ignore lint/correctness/useYield: a unit without a statement
      const nothing = function* (): Unit<number> {
        return 7
      }
      expect(await store.run(nothing)).toBe(7)
      expect(await store.run(() => has("a"))).toBe(false)
    }),
  )

  test(
    "a unit that does not end is stopped and undone",
    on(async ({ store, committed }) => {
      function* endless(): Unit<never> {
        for (let i = 0; ; i++) {
          yield* put(String(i))
          yield* has("e")
        }
      }
      const [stopped, neighbour] = await Promise.all([outcome(store.run(endless)), outcome(store.run(() => put("a")))])
      expect(String(stopped)).toContain(`at most ${UNIT_STATEMENTS_MAX} statements`)
      expect(neighbour).toBe("a")
      expect(await committed()).toEqual(["a"])
    }),
  )

  test(
    "a unit that needs the order gets it, with the hint or without",
    on(async ({ store, committed }) => {
      function* ordered(nonce: string): Unit<boolean> {
        yield* inOrder("log")
        yield* put(nonce)
        return yield* holdsOrder("log")
      }
      expect(await store.run(() => ordered("a"))).toBe(true)
      expect(await store.run(() => ordered("b"), "log")).toBe(true)
      expect(await store.runInPlace(() => ordered("c"), "log")).toBe(true)
      expect(await committed()).toEqual(["a", "b", "c"])
    }),
  )
})

describeEach("reading", (on) => {
  test(
    "a read that writes is a bug and leaves nothing, alone and together",
    on(async ({ store, committed }) => {
      const bug = new TypeError("a read unit only reads")
      expect(await outcome(store.read(() => put("a")))).toEqual(bug)
      expect(await outcome(store.readTogether(() => put("a")))).toEqual(bug)
      expect(await committed()).toEqual([])
      await store.run(() => put("b"))
      expect(await committed()).toEqual(["b"])
    }),
  )

  test(
    "a unit that only reads holds no order and may not ask for one",
    on(async ({ store }) => {
      const bug = new TypeError("a read unit holds no order")
      for (const asks of [(): Unit<unknown> => inOrder("log"), () => holdsOrder("log")]) {
        expect(await outcome(store.read(asks))).toEqual(bug)
        expect(await outcome(store.readTogether(asks))).toEqual(bug)
      }
      expect(await store.read(() => has("a"))).toBe(false)
    }),
  )

  test(
    "a read that throws rejects with its own error, and the reads beside it do not",
    on(async ({ store }) => {
      const bug = new Error("a bug")
      function* broken(): Unit<never> {
        yield* list()
        throw bug
      }
      await store.run(() => put("a"))
      const results = await Promise.all([
        outcome(store.readTogether(() => list())),
        outcome(store.readTogether(broken)),
        outcome(
          store.readTogether(() => {
            throw bug
          }),
        ),
        outcome(store.read(broken)),
        outcome(store.readTogether(() => list())),
      ])
      expect(results).toEqual([["a"], bug, bug, bug, ["a"]])
    }),
  )

  test(
    "a read keeps its view while others commit",
    on(async ({ store }) => {
      let write: Promise<unknown> | null = null
      const seen = await store.read(function* () {
        const before = yield* has("a")
        write ??= store.run(() => put("a"))
        for (let i = 0; i < 100; i++) yield* has("b")
        return [before, yield* has("a")]
      })
      expect(seen).toEqual([false, false])
      await write
      expect(await store.read(() => has("a"))).toBe(true)
    }),
  )

  test(
    "reads of one turn share a view and get its version, which changes with every commit and can stay equal without",
    on(async ({ store }) => {
      function* listAt(version: number): Unit<{ version: number; nonces: string[] }> {
        return { version, nonces: yield* list() }
      }
      await store.run(() => put("a"))
      // On PostgreSQL a commit in any database of the server changes it, and other tests share the server.
      let version: number | null = null
      for (let round = 0; version === null && round < 100; round++) {
        const seen = await Promise.all(Array.from({ length: 50 }, () => store.readTogether(listAt)))
        const first = seen[0]?.version
        expect(seen).toEqual(Array(50).fill({ version: first, nonces: ["a"] }))
        const later = [await store.version(), await store.version()]
        if (later.every((other) => other === first)) version = first ?? null
      }
      expect(version).not.toBeNull()
      await store.run(() => put("b"))
      expect(await store.version()).not.toBe(version)
    }),
  )
})

describeEach("closing", (on) => {
  test(
    "finishes queued work and refuses new work",
    on(async ({ store, committed }) => {
      const queued = Promise.all([
        ...Array.from({ length: 100 }, (_, i) => store.run(() => put(String(i)))),
        store.readTogether(() => list()),
      ])
      const closed = store.close()
      for (const late of [store.run(() => put("late")), store.read(() => list()), store.readTogether(() => list())]) {
        expect(await outcome(late)).toBeInstanceOf(StoreClosed)
      }
      expect((await queued).length).toBe(101)
      await closed
      await store.close()
      expect((await committed()).length).toBe(100)
    }),
  )
})
