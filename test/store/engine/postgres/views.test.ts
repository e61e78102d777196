import { describe, expect } from "bun:test"
import { sql } from "drizzle-orm"
import { QUEUE_UNITS_MAX, WAITING_READS_MAX } from "../../../../src/store/engine/limits.ts"
import { PostgresFault } from "../../../../src/store/engine/postgres/postgres-fault.ts"
import { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { SnapshotVersion } from "../../../../src/store/engine/postgres/snapshot-version.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { query, rows, type Unit } from "../../../../src/store/engine/unit.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { has, list, put } from "../../nonce-rows.ts"
import { outcome } from "../../store-bench.ts"
import { lasting } from "./lasting.ts"
import { postgresBench } from "./postgres-bench.ts"

const test = slowTests(import.meta.path)

/** The server refuses it when there is a row. */
const broken = query((db, { usedNonce: t }) => db.select({ nonce: t.nonce }).from(t).where(sql`${t.nonce}::bigint = 1`))

const slow = query((db, { logHead: t }) => db.select({ slept: sql`pg_sleep(0.1)::text`.mapWith(String) }).from(t))
const DEADLINE_MS = 1_000

describe.skipIf(!HAS_POSTGRES)(`reads that share a view${NOT_RUN}`, () => {
  test(
    "one that the server refuses fails alone, and its error quotes no value",
    postgresBench(async ({ store }) => {
      await store.run(() => put("secret-value"))
      function* slow(): Unit<number> {
        for (let i = 0; i < 20; i++) yield* has("a")
        return (yield* list()).length
      }
      const results = await Promise.all([
        outcome(store.readTogether(() => slow())),
        outcome(store.readTogether(() => rows(broken))),
        outcome(store.read(() => slow())),
        outcome(store.read(() => rows(broken))),
        outcome(store.readTogether(() => slow())),
      ])
      expect([results[0], results[2], results[4]]).toEqual([1, 1, 1])
      for (const failed of [results[1], results[3]]) {
        expect(failed).toBeInstanceOf(PostgresFault)
        expect(failed).toMatchObject({ code: "22P02" })
        expect(Bun.inspect(failed)).not.toContain("secret-value")
      }
    }),
  )

  test(
    "reads that together take longer than the deadline are all answered",
    postgresBench(
      async ({ store, sessions }) => {
        const reads = Array.from({ length: 20 }, () => outcome(store.read(() => rows(slow))))
        expect(await Promise.all(reads)).toEqual(Array(20).fill([{ slept: "" }]))
        expect(await sessions("ALL")).toBe(1)
        expect(store.counts.lostConnections).toBe(0)
      },
      { deadlineMs: DEADLINE_MS, patienceMs: 0 },
    ),
  )

  test(
    "a server that stops answering between two of them is noticed at the deadline",
    postgresBench(async ({ proxy, further }) => {
      const way = await proxy()
      let answers = 0
      way.judge(({ from, sentBefore }) => {
        if (from === "SERVER" && sentBefore.includes("pg_sleep")) answers++
        return answers > 3 ? "LOSE" : "PASS"
      })
      const store = further({ deadlineMs: DEADLINE_MS, patienceMs: 0 }, way.url)
      const begun = performance.now()
      const reads = await Promise.all(Array.from({ length: 20 }, () => outcome(store.read(() => rows(slow)))))
      expect(reads.filter((one) => one === "IO").length).toBeGreaterThan(10)
      expect(performance.now() - begun).toBeLessThan(5_000)
    }),
  )

  test(
    "many reads use few connections",
    postgresBench(async ({ store, sessions }) => {
      await Promise.all(Array.from({ length: 600 }, () => store.read(() => has("a"))))
      expect(await sessions("ALL")).toBeLessThanOrEqual(4)
    }),
  )

  test(
    "reads whose connection the server ends run again",
    postgresBench(async ({ store, endSessions }) => {
      let isEnded = false
      function* long(): Unit<boolean> {
        yield* lasting(() => isEnded)
        return yield* has("a")
      }
      const reads = Promise.all(Array.from({ length: 5 }, () => store.readTogether(() => long())))
      while ((await endSessions("BUSY")) === 0);
      isEnded = true
      expect(await reads).toEqual(Array(5).fill(false))
    }),
  )
})

test("work beyond a limit is BUSY at once, whatever becomes of the rest", async () => {
  const store = new PostgresStore(readTarget("postgres://user:p@127.0.0.1:1/db"), { patienceMs: 0 })
  const units = Array.from({ length: QUEUE_UNITS_MAX }, () => outcome(store.run(() => has("a"))))
  expect(await outcome(store.run(() => has("a")))).toBe("BUSY")
  const reads = Array.from({ length: WAITING_READS_MAX }, () => outcome(store.read(() => has("a"))))
  expect(await outcome(store.readTogether(() => has("a")))).toBe("BUSY")
  expect(await outcome(store.version())).toBe("BUSY")
  expect(new Set(await Promise.all([...units, ...reads]))).toEqual(new Set(["IO"]))
  await store.close()
})

test("a version changes with the snapshot, the server and its connections; a standby gives none", () => {
  let epoch = 1
  const version = new SnapshotVersion(() => epoch)
  const answer = (...row: unknown[]) => Object.assign([row], { count: 1, command: "SELECT" })
  const one = version.of(answer("5:5:", "monday", false))
  expect(version.of(answer("5:5:", "monday", false))).toBe(one)
  const other = version.of(answer("5:6:", "monday", false))
  const restarted = version.of(answer("5:6:", "tuesday", false))
  epoch++
  const crashed = version.of(answer("5:6:", "tuesday", false))
  expect(new Set([one, other, restarted, crashed]).size).toBe(4)
  expect(() => version.of(answer("5:6:", "tuesday", true))).toThrow("standby")
})
