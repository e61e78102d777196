/** Connections end at random under load, also those that ask for a lost outcome. What callers heard must be what is there. */
import { expect } from "bun:test"
import type { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { chance } from "../../../fixtures/chance.ts"
import { howMany, SEED } from "../../../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { payloadOf, put, setPayload } from "../../nonce-rows.ts"
import { ENDED, ENDED_WITHIN_MS, type Ending, endConnections } from "./end-connections.ts"
import { postgresBench } from "./postgres-bench.ts"

const test = slowTests(import.meta.path)

const COUNTERS = 6
const CALLERS = 24

/** A row, and one more in a counter that many share. */
function* countedRow(name: string, counter: string): Unit<string> {
  const before = Number(yield* payloadOf(counter))
  yield* put(name, "row")
  yield* setPayload(counter, String(before + 1))
  return name
}

interface Heard {
  readonly committed: string[]
  /** The store said that nothing was written. */
  readonly refused: string[]
  readonly unknown: string[]
}

async function load(stores: readonly PostgresStore[], ending: Ending, heard: Heard): Promise<void> {
  const random = chance(SEED)
  const call = async (caller: number) => {
    for (let n = 0; !ending.isOver; n++) {
      const name = `${caller}-${n}`
      const counter = `counter${Math.floor(random() * COUNTERS)}`
      const order = random() < 0.2 ? ("log" as const) : undefined
      try {
        heard.committed.push(
          (await stores[caller % stores.length]?.run(() => countedRow(name, counter), order)) ?? "no store",
        )
      } catch (error) {
        if (error instanceof StoreUnavailable) heard.refused.push(name)
        else heard.unknown.push(String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
}

test.skipIf(!HAS_POSTGRES)(
  `${howMany(2_000, ENDED)} connections end: what was acknowledged is there once, and what was refused is not there${NOT_RUN}`,
  postgresBench(async ({ store, further, url, admin, committed }) => {
    const stores = [store, further()]
    for (let n = 0; n < COUNTERS; n++) await store.run(() => put(`counter${n}`, "s", "0"))
    const heard: Heard = { committed: [], refused: [], unknown: [] }
    const ending = endConnections(url)
    const [ended] = await Promise.all([ending.ended, load(stores, ending, heard)])
    const there = new Set(await committed("row"))
    expect(ended).toBe(ENDED)
    expect(heard.committed.filter((name) => !there.has(name))).toEqual([])
    expect(heard.refused.filter((name) => there.has(name))).toEqual([])
    expect(heard.unknown).toEqual([])
    expect(there.size).toBe(heard.committed.length)
    const [sum] = await admin`select sum(expires_at::int)::int as n from used_nonce where scope = 's'`
    expect(sum.n).toBe(there.size)
    if (process.env["BIZAUTH_SHOW"]) {
      const counts = stores.map(({ counts: all }) => all)
      console.log({ ended, committed: heard.committed.length, refused: heard.refused.length, counts })
    }
  }),
  ENDED_WITHIN_MS + 60_000,
)
