import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { pursue } from "../../src/payments/pursue.ts"
import { findAttempt } from "../../src/store/payments/attempts.ts"
import { type Bench, openBench, reconcileUntilQuiet, settlementOf, theAttempt } from "../delivery/selling-bench.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"

let bench: Bench
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server({ settleWaitMs: 100 })
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

async function settling() {
  await bench.chain.setAutomine(false)
  const request = freshRequest()
  const answer = await server.post(request, await signedHeader(server, request))
  const { id } = await theAttempt(server, request)
  const attempt = await server.store.read(() => findAttempt(id))
  if (!attempt) throw new Error("no attempt")
  return { attempt, transaction: settlementOf(answer).transaction }
}

describe("pursue", () => {
  test("queries the chain and sends nothing", async () => {
    const { attempt, transaction } = await settling()
    bench.proxy.reset()
    expect(await pursue(server.deps, attempt)).toEqual({
      kind: "pending",
      transaction: transaction as `0x${string}`,
      authorization: "UNUSED",
      sendable: false,
      head: expect.any(BigInt),
    })
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    expect(await pursue(server.deps, attempt)).toMatchObject({ kind: "settled", transfer: { tx: transaction } })
    await reconcileUntilQuiet(server)
  })

  test("leaves the payment pending when a node is unavailable, and does not believe a false receipt", async () => {
    const { attempt, transaction } = await settling()
    bench.proxy.fault("*", { reject: true })
    expect((await pursue(server.deps, attempt)).kind).toBe("pending")
    bench.proxy.reset()
    bench.proxy.fault("eth_getTransactionReceipt", {
      result: {
        transactionHash: transaction,
        blockHash: `0x${"11".repeat(32)}`,
        blockNumber: "0x1",
        status: "0x1",
        logs: [],
        gasUsed: "0x1",
        effectiveGasPrice: "0x1",
      },
    })
    expect((await pursue(server.deps, attempt)).kind).toBe("pending")
    bench.proxy.reset()
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
  })
})
