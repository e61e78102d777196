import { describe, expect, test } from "bun:test"
import { CommitOutcomeUnknown } from "../../../../src/store/engine/store-error.ts"
import { HAS_POSTGRES } from "../../../fixtures/postgres.ts"
import { until } from "../../../fixtures/until.ts"
import { has, put } from "../../nonce-rows.ts"
import { outcome } from "../../store-bench.ts"
import { postgresBench } from "./postgres-bench.ts"

describe.skipIf(!HAS_POSTGRES)("a COMMIT whose answer is lost", () => {
  test(
    "before it reached the server: the unit runs again",
    postgresBench(async ({ proxy, further, committed }) => {
      const way = await proxy()
      let cuts = 1
      let runs = 0
      way.judge(({ from, text, cut }) => {
        if (from === "SERVER" || !text.includes("\0commit\0") || cuts-- <= 0) return "PASS"
        cut()
        return "LOSE"
      })
      const store = further({}, way.url)
      await store.run(function* () {
        runs++
        yield* put("a")
      })
      expect(runs).toBe(2)
      expect(await committed()).toEqual(["a"])
      expect(store.counts.lostOutcomes).toBe(1)
    }),
  )

  test(
    "after it reached the server: the caller gets the value of the run that counts, also when answers to the question are lost",
    postgresBench(async ({ proxy, further, committed }) => {
      const way = await proxy()
      let cuts = 3
      let runs = 0
      way.judge(({ from, text, cut }) => {
        if (from === "STORE" || !text.includes("COMMIT\0") || cuts-- <= 0) return "PASS"
        cut()
        return "LOSE"
      })
      const store = further({}, way.url)
      const value = await store.run(function* () {
        runs++
        yield* put("a")
        return runs
      })
      expect([value, runs]).toEqual([1, 1])
      expect(await committed()).toEqual(["a"])
    }),
  )

  test(
    "the answer to the question is lost, and the unit was not committed: the next question meets the row of the first, and the unit runs again",
    postgresBench(async ({ proxy, further, committed, admin }) => {
      const way = await proxy()
      let runs = 0
      const lost = { commit: 1, claim: 2 }
      way.judge(({ from, text, sentBefore, cut }) => {
        const isCommit =
          from === "STORE" && text.includes("\0commit\0") && !sentBefore.includes("on conflict do nothing")
        const isClaimed =
          from === "SERVER" && text.includes("COMMIT\0") && sentBefore.includes("on conflict do nothing")
        if (!(isCommit && lost.commit-- > 0) && !(isClaimed && lost.claim-- > 0)) return "PASS"
        cut()
        return "LOSE"
      })
      const store = further({}, way.url)
      await store.run(function* () {
        runs++
        yield* put("a")
      })
      expect(runs).toBe(2)
      expect(await committed()).toEqual(["a"])
      expect(await admin`select committed::int as n from unit_outcome order by n`.values()).toEqual([[0], [1]])
    }),
  )

  test(
    "a connection whose server does not answer closes at the deadline",
    postgresBench(async ({ proxy, further, committed, admin }) => {
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
      await until(
        "the first transaction ended on the server",
        async () =>
          (
            await admin`select 1 from pg_stat_activity where application_name = 'bizauth' and datname = current_database() and xact_start is not null`
          ).length === 0,
      )
    }),
  )

  test(
    "one that is cut off while it holds an order stops others only until the server ends it",
    postgresBench(async ({ proxy, further, store, committed }) => {
      const way = await proxy()
      let isCutOff = false
      way.judge(() => (isCutOff ? "LOSE" : "PASS"))
      const cutOff = further({ patienceMs: 0 }, way.url)
      let statements = 0
      const held = outcome(
        cutOff.run(function* () {
          yield* put("held")
          for (; statements < 1_900; statements++) yield* has("a")
        }, "log"),
      )
      await until("it holds the order", () => statements > 0, { everyMs: 1 })
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
