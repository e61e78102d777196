import { describe, expect } from "bun:test"
import { realMachine } from "../../../../src/base/machine.ts"
import { HOUR } from "../../../../src/core/time.ts"
import { CommitOutcomeUnknown } from "../../../../src/store/engine/store-error.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { has, put } from "../../nonce-rows.ts"
import { outcome } from "../../store-bench.ts"
import type { Piece, Verdict } from "./database-proxy.ts"
import { lasting } from "./lasting.ts"
import { type PostgresBench, postgresBench } from "./postgres-bench.ts"

const test = slowTests(import.meta.path)

type IsCut = (piece: Piece) => boolean

/** True for the first pieces that `isOne` is true for. */
function first(count: number, isOne: IsCut): IsCut {
  let left = count
  return (piece) => isOne(piece) && left-- > 0
}

/** The answer to the next COMMIT does not arrive. */
function loseFirstCommit(): (piece: Piece) => Verdict {
  const isLost = first(1, ({ from, text }) => from === "SERVER" && text.includes("COMMIT\0"))
  return (piece) => (isLost(piece) ? "LOSE" : "PASS")
}

/** A store whose connections are cut, and a unit that puts "a" and returns how often it has run. */
async function cutting({ proxy, further }: PostgresBench, isCut: IsCut) {
  const way = await proxy()
  way.cutAt(isCut)
  let runs = 0
  function* puttingA(): Unit<number> {
    runs++
    yield* put("a")
    return runs
  }
  return { store: further({}, way.url), puttingA, runs: () => runs }
}

describe.skipIf(!HAS_POSTGRES)(`a COMMIT whose answer is lost${NOT_RUN}`, () => {
  test(
    "before it reached the server: the unit runs again",
    postgresBench(async (bench) => {
      const isCommit = ({ from, text }: Piece) => from === "STORE" && text.includes("\0commit\0")
      const { store, puttingA, runs } = await cutting(bench, first(1, isCommit))
      await store.run(puttingA)
      expect(runs()).toBe(2)
      expect(await bench.committed()).toEqual(["a"])
      expect(store.counts.lostOutcomes).toBe(1)
    }),
  )

  test(
    "after it reached the server: the caller gets the value of the run that counts, also when answers to the question are lost",
    postgresBench(async (bench) => {
      const isCommitted = ({ from, text }: Piece) => from === "SERVER" && text.includes("COMMIT\0")
      const { store, puttingA, runs } = await cutting(bench, first(3, isCommitted))
      const value = await store.run(puttingA)
      expect([value, runs()]).toEqual([1, 1])
      expect(await bench.committed()).toEqual(["a"])
    }),
  )

  test(
    "the answer to the question is lost, and the unit was not committed: the next question finds the row of the one before, and the unit runs again",
    postgresBench(async (bench) => {
      const isClaim = ({ sentBefore }: Piece) => sentBefore.includes("returning committed")
      const isCommit = first(
        1,
        (piece) => piece.from === "STORE" && piece.text.includes("\0commit\0") && !isClaim(piece),
      )
      const isClaimed = first(
        2,
        (piece) => piece.from === "SERVER" && piece.text.includes("COMMIT\0") && isClaim(piece),
      )
      const { store, puttingA, runs } = await cutting(bench, (piece) => isCommit(piece) || isClaimed(piece))
      await store.run(puttingA)
      expect(runs()).toBe(2)
      expect(await bench.committed()).toEqual(["a"])
      expect(await bench.admin`select committed::int as n from unit_outcome order by n`.values()).toEqual([[0], [1]])
    }),
  )

  test.each([
    ["writes", put, ["a"]],
    ["reads", has, []],
  ])(
    "the unit that noted the outcome was undone, and another of its transaction %s: the other runs once",
    (_, other, left) =>
      postgresBench(async (bench) => {
        const isAnswer = ({ from, text, sentBefore }: Piece) =>
          from === "SERVER" && text.includes("COMMIT\0") && sentBefore.includes("used_nonce")
        const { store } = await cutting(bench, first(1, isAnswer))
        const bug = new Error("a bug")
        function* failing(): Unit<void> {
          yield* put("undone")
          throw bug
        }
        let runs = 0
        function* succeeding(): Unit<number> {
          yield* other("a")
          return ++runs
        }
        const told = await Promise.all([outcome(store.run(failing, "log")), store.run(succeeding, "log")])
        expect([...told, runs]).toEqual([bug, 1, 1])
        expect(await bench.committed()).toEqual(left)
        expect(store.counts).toMatchObject({ lostOutcomes: 1, committed: 2 })
        expect(await bench.admin`select committed::int from unit_outcome`.values()).toEqual([[1]])
      })(),
  )

  test.each([
    ["an hour later, and its row is removed: unknown", -HOUR, true, expect.any(CommitOutcomeUnknown)],
    ["an hour later, and its row is still there: committed", -HOUR, false, "run 1"],
    ["by a clock that was set back, and its row is removed: unknown", HOUR / 2, true, expect.any(CommitOutcomeUnknown)],
  ])("after it reached the server, and the store asks %s", (_, begunAfter, isRemoved, told) =>
    postgresBench(async ({ proxy, further, admin, committed, store: other }) => {
      const way = await proxy()
      const store = further({ deadlineMs: 2_000 }, way.url)
      await store.run(() => put("before"))
      way.judge(loseFirstCommit())
      store.clock.saw(Date.now() + begunAfter, realMachine.monotonic())
      let runs = 0
      const asked = outcome(store.run(() => put(`run ${++runs}`)))
      await until("it is committed", async () => (await committed()).includes("run 1"))
      if (isRemoved) {
        await admin`update unit_outcome set at = '2026-01-01T00:00:00.000Z'`
        await other.purgeOutcomes()
      }
      expect(await asked).toEqual(told)
    })(),
  )

  test(
    "a connection whose server does not answer closes at the deadline",
    postgresBench(async ({ proxy, further, committed, sessions }) => {
      const way = await proxy()
      let stalled: string | null = null
      way.judge(({ text, sentBefore }) => {
        if (stalled === null && text.includes('insert into "used_nonce"')) stalled = sentBefore.slice(0, 20)
        return way.links === 1 && stalled !== null ? "LOSE" : "PASS"
      })
      const store = further({ deadlineMs: 300 }, way.url)
      const started = performance.now()
      expect(await store.run(() => put("a"))).toBe("a")
      expect(performance.now() - started).toBeLessThan(3_000)
      expect(way.links).toBe(2)
      expect(await committed()).toEqual(["a"])
      await until("the first transaction ended on the server", async () => (await sessions("BUSY")) === 0)
    }),
  )

  test(
    "a store that is cut off while it holds an order delays others only until the server ends its connection",
    postgresBench(async ({ proxy, further, store, committed }) => {
      const way = await proxy()
      let isCutOff = false
      way.judge(() => (isCutOff ? "LOSE" : "PASS"))
      const cutOff = further({ patienceMs: 0 }, way.url)
      let isHeld = false
      const held = outcome(
        cutOff.run(function* () {
          yield* put("held")
          yield* lasting(() => {
            isHeld = true
            return false
          })
        }, "log"),
      )
      await until("it holds the order", () => isHeld, { everyMs: 1 })
      isCutOff = true
      const started = performance.now()
      await store.run(() => put("other"), "log")
      expect(performance.now() - started).toBeLessThan(4_000)
      expect(await held).toBe("IO")
      expect(await committed()).toEqual(["other"])
    }),
  )

  test(
    "an outcome that stays unknown rejects as unknown",
    postgresBench(async ({ proxy, further }) => {
      const way = await proxy()
      way.judge(({ from, text, cut }) => {
        if (from === "SERVER" || !text.includes("\0commit\0")) return "PASS"
        cut()
        way.close()
        return "LOSE"
      })
      const store = further({ outcomePatienceMs: 100 }, way.url)
      expect(await outcome(store.run(() => put("a")))).toBeInstanceOf(CommitOutcomeUnknown)
    }),
  )
})
