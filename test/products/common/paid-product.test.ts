/** An attempt for one of the answer products that was released and then paid. No response says that nothing was charged. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { realMachine } from "../../../src/base/machine.ts"
import { tokenHash } from "../../../src/core/authorization-token.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { type Bench, clockMachine, frontRun, openBench, reconcileUntilQuiet } from "../../delivery/selling-bench.ts"
import { buyAnswer, type Purchase, signedFor } from "../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { reconcileOnce } from "../../fixtures/reconcile-round.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { staticBoard, type TestServer } from "../../fixtures/test-server.ts"
import { withNextSleep } from "../../fixtures/until.ts"
import { enterChangeKey, VENDOR_CHANGE_PATH, vendorChangeBody } from "../../fixtures/vendor-change.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

let bench: Bench
let server: TestServer
beforeEach(async () => {
  bench = await openBench()
  server = await bench.server()
  await enterChangeKey(server)
})
afterEach(() => bench.close())

const stale = staticBoard([], (state) => ({ ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] }))

async function givenUp(): Promise<{ purchase: Purchase; payment: Record<string, string> }> {
  const purchase = { path: VENDOR_CHANGE_PATH, body: vendorChangeBody() }
  const payment = await signedFor(server, purchase)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await server.post(purchase.body, payment, purchase.path)).status).toBe(503)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  return { purchase, payment }
}

const one = (sql: string) => server.database.row(sql)
const holds = "SELECT kind, spent FROM authority_hold"

describe("an answer whose payment arrives after the attempt was released", () => {
  test("is owed and delivered without another charge, and the original header gets a token that can be redeemed", async () => {
    const { purchase, payment } = await givenUp()
    expect(await one(holds)).toBeNull()
    await frontRun(bench.chain, payment)
    await bench.chain.mine(2)
    await reconcileOnce(server.deps)
    expect((await server.post(purchase.body, payment, purchase.path)).status).toBe(202)
    await reconcileUntilQuiet(server)
    const { status, answer } = await buyAnswer(server, purchase, payment)
    expect([status, answer.decision, answer.replayed]).toEqual([200, "APPROVE", true])
    expect(await one("SELECT token_hash, state FROM authorization_token")).toEqual({
      token_hash: tokenHash(answer.result["authorization_token"] as string),
      state: "ISSUED",
    })
    expect(await one(holds)).toEqual({ kind: "CHALLENGE", spent: 1 })
    expect(await bench.paid()).toBe(1)
  })

  test("waits while a list is stale, and keeps its holds", async () => {
    const { purchase, payment } = await givenUp()
    await frontRun(bench.chain, payment)
    await bench.chain.mine(2)
    const clock = clockMachine()
    const sick = await bench.server({ board: stale, machine: clock, leaseSeconds: 0.01 })
    for (let round = 0; round < 3; round++) {
      await reconcileOnce(sick.deps)
      clock.advance(20)
    }
    expect(await one("SELECT state FROM payment_attempt")).toEqual({ state: "PAID_OWED" })
    expect(await one(holds)).toEqual({ kind: "CHALLENGE", spent: 0 })
    expect((await sick.post(purchase.body, payment, purchase.path)).status).toBe(202)
    await reconcileUntilQuiet(server)
    expect((await buyAnswer(server, purchase, payment)).answer.decision).toBe("APPROVE")
    expect(await bench.paid()).toBe(1)
  })

  test("gets 202 with an unknown outcome, never uncharged, when the payment is presented again while a list is stale", async () => {
    const { purchase, payment } = await givenUp()
    await frontRun(bench.chain, payment)
    const sick = await bench.server({ board: stale })
    expect((await sick.post(purchase.body, payment, purchase.path)).status).toBe(202)
    let requests = 0
    const well = staticBoard()
    // Healthy when the payment is checked, too old when the decision is made.
    const board = { index: well.index, states: (at: number) => (requests++ === 0 ? well : stale).states(at) }
    let waiting: Promise<Response> | undefined
    const machine = withNextSleep(realMachine)
    const sickening = await bench.server({
      board,
      machine,
      trace: async (step) => {
        if (step !== "reserved") return
        const sleeping = machine.nextSleep()
        waiting = Promise.resolve(sickening.post(purchase.body, payment, purchase.path))
        // The second call has found the attempt, and waits for it.
        await sleeping
      },
    })
    expect((await sickening.post(purchase.body, payment, purchase.path)).status).toBe(202)
    expect((await waiting)?.status).toBe(202)
    expect(await one(holds)).toBeNull()
    expect((await buyAnswer(server, purchase, payment)).answer.decision).toBe("APPROVE")
    expect(await bench.paid()).toBe(1)
  })
})

/** The database fails at the statement that stores the final body. */
function dyingAtBody(own: Store): Store {
  const run: Store["run"] = (unit, order) =>
    own.run(function* () {
      const steps = unit()
      for (let step = steps.next(); ; step = steps.next(yield step.value)) {
        if (step.done) return step.value
        if (step.value.order === undefined && "body" in step.value.values) throw new StoreUnavailable("IO")
      }
    }, order)
  return {
    run,
    runInPlace: (unit, order) => own.runInPlace(unit, order),
    read: (unit) => own.read(unit),
    readTogether: (unit) => own.readTogether(unit),
    version: () => own.version(),
    close: () => own.close(),
  }
}

test("an answer decided before a crash is delivered, even if its organization was revoked since", async () => {
  const { purchase, payment } = await givenUp()
  await frontRun(bench.chain, payment)
  await bench.chain.mine(2)
  await reconcileOnce(server.deps)
  const dying = await bench.server({ inPlaceOf: dyingAtBody })
  await expect(reconcileOnce(dying.deps)).rejects.toThrow(StoreUnavailable)
  expect(await one("SELECT body FROM delivery")).toEqual({ body: null })
  await server.database.write("UPDATE organization SET state = 'REVOKED', revoked_at = '2026-11-22T00:00:00Z'")
  await server.database.write("UPDATE payment_attempt SET lease_owner = NULL")
  await reconcileUntilQuiet(server)
  expect((await buyAnswer(server, purchase, payment)).status).toBe(200)
  expect(await bench.paid()).toBe(1)
})
