/** While no host answers, all work waits as long as its patience, however much of it there is. */
import { expect, test } from "bun:test"
import type { Driver } from "../../../../src/store/engine/postgres/driver.ts"
import { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import { list, put } from "../../nonce-rows.ts"

const CONNECT_MS = 50
const PATIENCE_MS = 125
/** A busy machine wakes late. */
const LATE_MS = 150

/** A network that carries nothing: each connection fails after a while. */
const cutOff: Driver = () => ({
  reserve: async () => {
    await Bun.sleep(CONNECT_MS)
    throw Object.assign(new Error("Connection timeout"), { code: "ERR_POSTGRES_CONNECTION_TIMEOUT" })
  },
  close: async () => {},
})

/** When each of the calls was refused, in milliseconds, earliest first. */
async function refusals(ask: (store: PostgresStore, at: number) => Promise<unknown>, calls: number): Promise<number[]> {
  const store = new PostgresStore(readTarget("postgres://u@127.0.0.1/d"), { patienceMs: PATIENCE_MS, driver: cutOff })
  const begun = performance.now()
  const asked = Array.from({ length: calls }, (_, at) =>
    ask(store, at).then(
      () => Number.NaN,
      (error: unknown) => {
        expect(error).toBeInstanceOf(StoreUnavailable)
        return performance.now() - begun
      },
    ),
  )
  const times = await Promise.all(asked)
  await store.close()
  return times.toSorted((one, other) => one - other)
}

test.each([
  ["units", 80, (store: PostgresStore, at: number) => store.run(() => put(String(at)))],
  ["units in the order of the log", 400, (store: PostgresStore, at: number) => store.run(() => put(String(at)), "log")],
  ["units of one turn", 80, (store: PostgresStore, at: number) => store.run(() => put(String(at)), { turn: "a" })],
  ["reads", 2_000, (store: PostgresStore) => store.read(() => list())],
])("%s are refused when the patience ends", async (_, calls, ask) => {
  const times = await refusals(ask, calls)
  expect(times[0]).toBeGreaterThan(PATIENCE_MS)
  expect(times.at(-1)).toBeLessThan(PATIENCE_MS + 2 * CONNECT_MS + LATE_MS)
})

test.each([
  ["units", (store: PostgresStore) => store.run(() => put("a"))],
  ["reads", (store: PostgresStore) => store.read(() => list())],
])("%s wait for their patience while the server has no room for connections", async (_, ask) => {
  const begun = performance.now()
  const full: Driver = () => ({
    reserve: () => Promise.reject(Object.assign(new Error("sorry, too many clients already"), { errno: "53300" })),
    close: async () => {},
  })
  const store = new PostgresStore(readTarget("postgres://u@127.0.0.1/d"), { patienceMs: PATIENCE_MS, driver: full })
  expect(await ask(store).catch((error) => error)).toMatchObject({ reason: "BUSY" })
  expect(performance.now() - begun).toBeGreaterThan(PATIENCE_MS)
  await store.close()
})
