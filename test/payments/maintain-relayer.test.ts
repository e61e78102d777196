import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { type Hex, parseTransaction } from "viem"
import { maintainRelayer } from "../../src/payments/maintain-relayer.ts"
import { allocateNonce } from "../../src/store/payments/relayer-ledger.ts"
import {
  type Bench,
  type ClockMachine,
  clockMachine,
  openBench,
  openWork,
  reconcileUntilQuiet,
  theAttempt,
} from "../delivery/selling-bench.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"

const test = slowTests(import.meta.path)

const { relayer } = DEV_ACCOUNTS
let bench: Bench
let server: TestServer
let clock: ClockMachine

beforeAll(async () => {
  bench = await openBench()
  clock = clockMachine()
  server = await bench.server({ machine: clock, settleWaitMs: 100 })
})
afterEach(async () => {
  bench.proxy.reset()
  await bench.chain.setAutomine(true)
  await bench.chain.mine(1)
  await reconcileUntilQuiet(server)
})
afterAll(() => bench.close())

function maintain(of: TestServer = server): Promise<number> {
  const { settler } = of.deps.payments
  if (settler.kind !== "self") throw new Error("no relayer")
  return maintainRelayer(of.deps, settler)
}
const transactions = () =>
  server.database.rows<{ tx_hash: Hex; nonce: number; raw: Hex }>(
    "SELECT tx_hash, nonce, raw FROM relayer_transaction ORDER BY nonce, created_at, tx_hash",
  )

describe("maintainRelayer", () => {
  test("raises the fees of a waiting transaction for the same call and nonce; one of them is mined, and the payment is charged once", async () => {
    const before = await bench.paid()
    const sentBefore = (await transactions()).length
    await bench.chain.setAutomine(false)
    const request = freshRequest()
    const header = await signedHeader(server, request)
    expect((await server.post(request, header)).status).toBe(202)
    await maintain()
    expect((await transactions()).length).toBe(sentBefore + 1)
    clock.advance(31_000)
    await maintain()
    const [first, raised] = (await transactions()).slice(sentBefore).map(({ raw }) => parseTransaction(raw))
    expect(raised?.data).toBe(first?.data as Hex)
    expect(raised?.nonce).toBe(first?.nonce as number)
    expect(raised?.maxFeePerGas ?? 0n).toBeGreaterThan(first?.maxFeePerGas ?? 0n)
    expect(raised?.maxPriorityFeePerGas ?? 0n).toBeGreaterThan(first?.maxPriorityFeePerGas ?? 0n)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    expect(await bench.paid()).toBe(before + 1)
    expect((await theAttempt(server, request)).settledTx).toBe((await transactions()).at(-1)?.tx_hash as string)
    expect((await server.post(request, header)).status).toBe(200)
  })

  test("raises fees at most eight times, then only sends again", async () => {
    const sentBefore = (await transactions()).length
    await bench.chain.setAutomine(false)
    const request = freshRequest()
    expect((await server.post(request, await signedHeader(server, request))).status).toBe(202)
    for (let round = 0; round < 12; round++) {
      clock.advance(31_000)
      await maintain()
    }
    expect((await transactions()).length).toBe(sentBefore + 9)
  })

  test("fills a nonce that no attempt will use, and two processes that do so together leave one transaction in the chain", async () => {
    const other = await bench.server()
    const nonce = await server.store.run(() => allocateNonce(relayer.address, null, 0, new Date().toISOString()))
    const count = () => bench.chain.publicClient.getTransactionCount({ address: relayer.address })
    expect(await count()).toBe(nonce)
    const filled = await Promise.all([maintain(), maintain(other)])
    expect(Math.max(...filled)).toBe(1)
    // The node responds to a broadcast before it has mined the block.
    await until("the filled nonce is in a block", async () => (await count()) > nonce)
    expect(await count()).toBe(nonce + 1)
    await maintain()
    expect((await openWork(server)).nonces).toBe(0)
    expect(await count()).toBe(nonce + 1)
  })

  test("does not touch a nonce while its attempt may still sign for it", async () => {
    const request = freshRequest()
    let filledMeanwhile = -1
    const signing = await bench.server({
      trace: async (step) => {
        if (step === "nonce_allocated") filledMeanwhile = await maintain()
      },
    })
    const before = await bench.paid()
    expect((await signing.post(request, await signedHeader(signing, request))).status).toBe(200)
    expect(filledMeanwhile).toBe(0)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("does nothing and logs no error while the node is unavailable", async () => {
    await server.store.run(() => allocateNonce(relayer.address, null, 0, new Date().toISOString()))
    bench.proxy.fault("*", { reject: true })
    expect(await maintain()).toBe(0)
    expect((await openWork(server)).nonces).toBe(1)
    bench.proxy.reset()
    expect(await maintain()).toBe(1)
  })

  test("does not query the node when nothing waits and nothing was mined recently", async () => {
    await reconcileOnce(server.deps)
    clock.advance(11 * 60_000)
    bench.proxy.reset()
    await maintain()
    expect(bench.proxy.calls).toHaveLength(0)
  })
})
