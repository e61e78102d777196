/** One process at a time does the round that removes expired records, whatever becomes of that process. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { purgeExpired, purgeInTurn } from "../../src/agent-mode/purge-expired.ts"
import { formatInstant, MINUTE, SECOND } from "../../src/core/time.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { newStore, type TestStore } from "../fixtures/new-store.ts"
import { until } from "../fixtures/until.ts"

const START = Date.parse("2026-11-21T10:00:00.000Z")

let opened: TestStore
let other: Store
let now: number
beforeEach(async () => {
  opened = await newStore()
  other = await opened.another()
  now = START
})
afterEach(() => opened.close())

type Runs = Pick<Store, "run">

/** A round of the process `owner`. */
const round = (owner: string, store: Runs) => purgeInTurn({ store, now: () => now, owner })
const left = () => opened.count("used_nonce")

/** Nonces that have ended. */
async function fill(count: number): Promise<void> {
  await opened.write(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO used_nonce (scope, nonce, expires_at) SELECT ?2, i, ?2 FROM n`,
    count,
    formatInstant(START - 1),
  )
}

/** Its process takes the lease and removes rows `removals` times. Then `instead` comes. */
function stopping(store: Store, instead: () => Promise<never>, removals = 1): Runs {
  let units = 0
  return { run: (unit, order) => (++units > 1 + removals ? instead() : store.run(unit, order)) }
}

const never = () => new Promise<never>(() => {})

test("while one process is in a round, another removes nothing", async () => {
  await fill(200)
  const going = Promise.withResolvers<void>()
  const within = Promise.withResolvers<void>()
  let units = 0
  const slow: Runs = {
    run: async (unit, order) => {
      if (++units === 3) {
        within.resolve()
        await going.promise
      }
      return opened.store.run(unit, order)
    },
  }
  const first = round("one", slow)
  await within.promise
  expect(await left()).toBe(136)
  now += MINUTE - 1
  expect(await round("two", other)).toBe(false)
  expect(await left()).toBe(136)
  now = START
  going.resolve()
  expect(await first).toBe(false)
  expect(await left()).toBe(0)
})

test("of many processes that begin at once, one does the round", async () => {
  await fill(10)
  let rounds = 0
  const counted = (store: Store): Runs => {
    let units = 0
    return {
      run: async (unit, order) => {
        if (++units === 2) rounds++
        return store.run(unit, order)
      },
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, n) => round(`p${n}`, counted(n % 2 === 0 ? opened.store : other))))
  expect([rounds, await left()]).toEqual([1, 0])
})

test("after a round another process waits half a minute, and after one that left rows not at all", async () => {
  await round("one", opened.store)
  await fill(6_500)
  now += 30 * SECOND - 1
  expect(await round("two", other)).toBe(false)
  expect(await left()).toBe(6_500)
  now += 1
  expect(await round("two", other)).toBe(true)
  expect(await left()).toBe(100)
  expect(await round("one", opened.store)).toBe(false)
  expect(await left()).toBe(0)
})

test("a process that is killed in a round keeps others away for a minute", async () => {
  await fill(200)
  void round("killed", stopping(opened.store, never))
  await until("it removed some", async () => (await left()) === 136)
  now += MINUTE - 1
  await round("two", other)
  expect(await left()).toBe(136)
  now += 1
  await round("two", other)
  expect(await left()).toBe(0)
})

test("a process whose database failed in a round goes on in its next one", async () => {
  await fill(200)
  const failing = stopping(opened.store, () => Promise.reject(new StoreUnavailable("IO", {})))
  await expect(round("one", failing)).rejects.toBeInstanceOf(StoreUnavailable)
  now += MINUTE
  await round("one", opened.store)
  expect(await left()).toBe(0)
})

test("a round ends before its lease does, and the process that lost the lease does not end that of another", async () => {
  await fill(200)
  let units = 0
  const slow: Runs = {
    run: async (unit, order) => {
      if (++units === 3) {
        now += MINUTE
        await round(
          "two",
          stopping(other, () => Promise.reject(new StoreUnavailable("IO", {}))),
        ).catch(() => {})
      }
      return opened.store.run(unit, order)
    },
  }
  expect(await round("one", slow)).toBe(true)
  // The lease of the other process goes on.
  const before = await left()
  await round("three", opened.store)
  expect(await left()).toBe(before)
  expect(before).toBeGreaterThan(0)
})

test("a lease in the far future, of a clock that was wrong, keeps nobody away", async () => {
  await fill(10)
  now += 60 * MINUTE
  void round("wrong clock", stopping(opened.store, never, 0))
  const leased = () => opened.rows("SELECT 1 FROM purge_round WHERE lease_owner IS NOT NULL")
  await until("it has the lease", async () => (await leased()).length === 1)
  now = START
  await round("two", other)
  expect(await left()).toBe(0)
})

test("a round that has no time left begins no unit", async () => {
  await fill(10)
  expect(await purgeExpired({ store: opened.store, now: () => now }, { end: START })).toEqual({
    removed: 0,
    isBehind: true,
  })
  expect(await left()).toBe(10)
})
