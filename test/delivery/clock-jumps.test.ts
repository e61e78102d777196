/** A wall clock that is set back an hour or ahead a day, and then corrected, makes no caller wait longer. */
import { afterAll, afterEach, beforeAll, expect } from "bun:test"
import { realMachine } from "../../src/base/machine.ts"
import { DAY, HOUR } from "../../src/core/time.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import { type Bench, openBench, reconcileUntilQuiet, theAttempt } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

const JUMPS = [
  ["set back an hour", -HOUR],
  ["set ahead a day", DAY],
] as const

function wallClock() {
  const wall = { offset: 0 }
  return { wall, machine: { ...realMachine, now: () => Date.now() + wall.offset } }
}

test.each(JUMPS)(
  "a paid call that waits for a block is answered in time when the clock is %s meanwhile",
  async (_, jump) => {
    const { wall, machine } = wallClock()
    const server = await bench.server({
      machine,
      settleWaitMs: 400,
      trace: (step) => {
        if (step === "broadcast") wall.offset = jump
      },
    })
    const request = freshRequest()
    const header = await signedHeader(server, request)
    await bench.chain.setAutomine(false)
    const began = performance.now()
    const answer = await server.post(request, header)
    expect(answer.status).toBe(202)
    expect(performance.now() - began).toBeLessThan(5_000)
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    wall.offset = 0
    await reconcileUntilQuiet(server)
    expect((await server.post(request, header)).status).toBe(200)
  },
)

test.each(JUMPS)(
  "a payment whose worker died while the clock was %s is finished as soon as the clock is correct",
  async (_, jump) => {
    const { wall, machine } = wallClock()
    const request = freshRequest()
    const server: TestServer = await bench.server({
      machine,
      leaseSeconds: 1,
      trace: async (step) => {
        if (step !== "settling_stored") return
        wall.offset = jump
        const before = (await theAttempt(server, request)).leaseUntil
        await until(
          "the wrong clock renews the lease",
          async () => (await theAttempt(server, request)).leaseUntil !== before,
        )
        throw new Error("stopped here")
      },
    })
    const header = await signedHeader(server, request)
    expect((await server.post(request, header)).status).toBe(500)
    wall.offset = 0
    const next = await bench.server({ leaseSeconds: 1 })
    await reconcileUntilQuiet(next)
    expect((await theAttempt(next, request)).state).toBe("SETTLED")
    expect((await next.post(request, header)).status).toBe(200)
  },
)
