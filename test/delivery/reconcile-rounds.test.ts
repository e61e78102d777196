/** Rounds of the background loops over more attempts than they take at once. */
import { afterEach, beforeEach, describe, expect } from "bun:test"
import { formatInstant, HOUR } from "../../src/core/time.ts"
import { resumeAbandoned, watchOutcomes } from "../../src/delivery/reconcile.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import { dropLease, TAKEN_AT_ONCE } from "../../src/store/payments/attempt-leases.ts"
import { endAttempt, moveAttempt, reserveAttempt } from "../../src/store/payments/attempt-moves.ts"
import { POLLS_AT_ONCE } from "../../src/store/payments/attempt-watch.ts"
import { claimRequest } from "../../src/store/sales/requests.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import type { TestServer } from "../fixtures/test-server.ts"
import { newAttempt, newRequest } from "../store/money-rows.ts"
import { type Bench, type ClockMachine, clockMachine, openBench } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
let clock: ClockMachine
let server: TestServer
beforeEach(async () => {
  bench = await openBench()
  clock = clockMachine()
  server = await bench.server({ machine: clock })
})
afterEach(() => bench.close())

const LONG_AGO = 1
const FAR = Math.floor(Date.now() / 1000) + 3_600

/** Attempts of one payer without a worker, valid until `validBefore` (seconds). They ended at `at`, except for SETTLING ones. */
async function add(state: "RELEASED" | "SETTLING", count: number, validBefore: number, at: number): Promise<void> {
  const lease = { owner: "gone", until: formatInstant(at) }
  const [product = ""] = server.deps.products.keys()
  const instant = formatInstant(at)
  await server.store.run(function* () {
    for (let n = 0; n < count; n++) {
      const name = `${state}_${validBefore}_${String(n).padStart(4, "0")}`
      yield* claimRequest(newRequest(`drq_${name}`, { product, createdAt: instant }))
      const attempt = newAttempt(`att_${name}`, `drq_${name}`, {
        payer: DEV_ACCOUNTS.payer.address,
        asset: USDC_ADDRESS,
        payTo: DEV_ACCOUNTS.payTo.address,
        nonce: `0x${Bun.hash(name).toString(16).padStart(64, "0")}`,
        validBefore,
        // Nothing can be sent without a payload: these rounds query the chain and do not settle.
        payloadJson: null,
        createdAt: instant,
      })
      yield* reserveAttempt(attempt, lease)
      if (state === "RELEASED")
        yield* endAttempt(attempt.id, "gone", {
          from: "RESERVED",
          to: "RELEASED",
          at: instant,
          reason: "x",
          watched: true,
          usedBlock: null,
        })
      else {
        yield* moveAttempt(attempt.id, "gone", { from: "RESERVED", to: "VERIFIED", at: instant, detail: "" })
        yield* moveAttempt(attempt.id, "gone", { from: "VERIFIED", to: "SETTLING", at: instant, detail: "" })
        yield* dropLease(attempt.id, "gone")
      }
    }
  })
}

const count = (where: string) => server.database.count("payment_attempt", where)

describe("a round over ended attempts", () => {
  test("checks every attempt that is due, however many, also behind others without a result on the chain", async () => {
    await add("RELEASED", POLLS_AT_ONCE + 10, FAR, Date.now() - HOUR)
    await add("RELEASED", POLLS_AT_ONCE + 10, LONG_AGO, Date.now())
    await watchOutcomes(server.deps)
    expect(await count(`watched = 1 AND valid_before = ${LONG_AGO}`)).toBe(0)
    expect(await count(`watched = 1 AND valid_before = ${FAR}`)).toBe(POLLS_AT_ONCE + 10)
  })

  test("queries the chain rarely for an old attempt, and in the next round for one that just ended", async () => {
    await add("RELEASED", 3, FAR, Date.now() - HOUR)
    await add("RELEASED", 1, FAR + 1, Date.now())
    bench.proxy.reset()
    await watchOutcomes(server.deps)
    const requests = bench.proxy.count("eth_call")
    clock.advance(5)
    await watchOutcomes(server.deps)
    expect(bench.proxy.count("eth_call") - requests).toBe(requests / 4)
  })

  test("checks attempts again that a fast clock postponed by years", async () => {
    await add("RELEASED", 3, LONG_AGO, Date.now())
    await server.database.write("UPDATE payment_attempt SET look_at = '2099-01-01T00:00:00.000Z'")
    await watchOutcomes(server.deps)
    expect(await count("watched = 1")).toBe(0)
  })
})

test("a round over abandoned attempts takes every one, also behind others that stay open", async () => {
  await add("SETTLING", TAKEN_AT_ONCE + 10, FAR, Date.now() - HOUR)
  await add("SETTLING", 20, LONG_AGO, Date.now())
  await resumeAbandoned(server.deps)
  expect(await count(`state = 'FAILED' AND valid_before = ${LONG_AGO}`)).toBe(20)
  expect(await count("state = 'SETTLING' AND lease_owner IS NULL")).toBe(TAKEN_AT_ONCE + 10)
})

test("the round after a fault of the database takes every attempt again that the fault took from its process", async () => {
  await add("SETTLING", 10, LONG_AGO, Date.now())
  const run = server.store.run.bind(server.store)
  let units = 0
  server.store.run = (unit) => (units++ === 0 ? run(unit) : Promise.reject(new StoreUnavailable("BUSY")))
  await expect(resumeAbandoned(server.deps)).rejects.toThrow(StoreUnavailable)
  server.store.run = run
  expect(await count("state = 'SETTLING' AND lease_owner IS NOT NULL")).toBe(10)
  await resumeAbandoned(server.deps)
  expect(await count("state = 'FAILED'")).toBe(10)
})
