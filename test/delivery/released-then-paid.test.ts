/** A payment whose attempt was released, and which a stranger then brought to the chain: no call hears that nothing was charged. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { MINUTE } from "../../src/core/time.ts"
import type { Order } from "../../src/store/engine/order.ts"
import type { Store, Turn, Unit } from "../../src/store/engine/unit.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { type RpcProxy, startRpcProxy } from "../fixtures/rpc-proxy.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storeWith } from "../fixtures/store-with.ts"
import { freshRequest, paymentHeader, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { attemptsOf, type Bench, clockMachine, frontRun, openBench, payloadOf } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

/** The relayer has no ether, so the attempt is released before anything is sent. */
async function release(server: TestServer, request: DecisionRequest, header: Record<string, string>): Promise<void> {
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await server.post(request, header)).status).toBe(503)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
}

describe("its payer hears 202", () => {
  test("for the same authorization in another header", async () => {
    const server = await bench.server()
    const request = freshRequest()
    const header = await signedHeader(server, request)
    await release(server, request, header)
    await frontRun(bench.chain, header)
    const other = paymentHeader({ ...payloadOf(header), extensions: { note: { info: {}, schema: {} } } })
    expect((await server.post(request, other)).status).toBe(202)
    expect(await attemptsOf(server, request)).toHaveLength(1)
  })

  test("for its own header, after another payment bought the request", async () => {
    const server = await bench.server()
    const request = freshRequest()
    const [header, second] = [await signedHeader(server, request), await signedHeader(server, request)]
    await release(server, request, header)
    expect((await server.post(request, second)).status).toBe(200)
    await frontRun(bench.chain, header)
    expect((await server.post(request, header)).status).toBe(202)
  })
})

describe("a call that looked for the attempt before an equal call made and released it hears 202", () => {
  let proxy: RpcProxy
  beforeAll(() => {
    proxy = startRpcProxy(bench.chain.url)
  })
  afterAll(() => proxy.stop())

  /**
   * The first call has verified the payment and is about to reserve it. A stranger brings it to the chain. An equal call arrives at the server of
   * `equal` and stops before it looks for the attempt. The first call then reserves and releases. Returns the answer to the equal call.
   */
  async function answerToEqual(
    request: DecisionRequest,
    equal: (inPlaceOf: (own: Store) => Store) => Promise<TestServer>,
    before: (server: TestServer) => Promise<() => Promise<unknown>>,
  ): Promise<Response> {
    const [looks, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isHeld = false
    const waiting = async <T>(own: Store, unit: () => Unit<T>): Promise<T> => {
      if (isHeld && unit.toString().includes("readEqual")) {
        looks.resolve()
        await released.promise
      }
      return own.read(unit)
    }
    const server = await equal((own) => storeWith(own, { read: (unit) => waiting(own, unit) }))
    const answers: Promise<Response>[] = []
    let isArmed = true
    const meeting = async <T>(own: Store, unit: () => Unit<T>, hint?: Order | Turn): Promise<T> => {
      if (!isArmed) return own.runInPlace(unit, hint)
      isArmed = false
      await frontRun(bench.chain, header)
      const after = await before(server)
      isHeld = true
      answers.push(server.post(request, header))
      await Promise.race([looks.promise, ...answers])
      isHeld = false
      await after()
      proxy.fault("eth_getBlockByNumber", { reject: true })
      return own.runInPlace(unit, hint)
    }
    const first = await bench.server({
      rpcUrl: proxy.url,
      inPlaceOf: (own) => storeWith(own, { runInPlace: (unit, hint) => meeting(own, unit, hint) }),
    })
    const header = await signedHeader(first, request)
    await first.post(request, header)
    proxy.reset()
    expect(await attemptsOf(first, request)).toMatchObject([{ state: "RELEASED", watched: 1 }])
    released.resolve()
    return (await answers[0]) as Response
  }

  test("when its quote has ended", async () => {
    const clock = clockMachine()
    const answer = await answerToEqual(
      freshRequest(),
      (inPlaceOf) => bench.server({ machine: clock, inPlaceOf }),
      async () => {
        clock.advance(70 * MINUTE)
        return async () => {}
      },
    )
    expect(answer.status).toBe(202)
  })

  test("when its checks failed for a while", async () => {
    const answer = await answerToEqual(
      freshRequest(),
      (inPlaceOf) => bench.server({ inPlaceOf }),
      async ({ deps }) => {
        const { notReady } = deps
        Object.assign(deps, { notReady: () => [{ code: "DISK_LOW", detail: "The disk is nearly full." }] })
        return async () => Object.assign(deps, { notReady })
      },
    )
    expect(answer.status).toBe(202)
  })
})
