import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { encodeFunctionData, toHex } from "viem"
import { USDC_ABI } from "../../src/payments/usdc-contract.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { type RpcFault, type RpcProxy, startRpcProxy } from "../fixtures/rpc-proxy.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { type Bench, openBench, reconcileUntilQuiet } from "./selling-bench.ts"

let bench: Bench
let server: TestServer
/** A server with its own proxy to the node, so that only its own queries are delayed. */
let slow: TestServer
let proxy: RpcProxy
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
  proxy = startRpcProxy(bench.chain.url)
  slow = await bench.server({ rpcUrl: proxy.url })
})
afterEach(async () => {
  proxy.reset()
  await reconcileUntilQuiet(server)
})
afterAll(async () => {
  await bench.close()
  await proxy.stop()
})

const BALANCE_CALL = encodeFunctionData({
  abi: USDC_ABI,
  functionName: "balanceOf",
  args: [DEV_ACCOUNTS.payer.address],
}).slice(0, 10)

describe("an equal call whose own payment check fails while the first call is being paid", () => {
  test.each<[string, string, RpcFault]>([
    ["the node does not answer it", "eth_getCode", { reject: true }],
    [
      "the node shows it the balance after the transfer",
      "eth_call",
      {
        when: ([call]) => (call as { data: string }).data.startsWith(BALANCE_CALL),
        result: toHex(0, { size: 32 }),
      },
    ],
  ])("gets the first call's answer when %s", async (_, method, fault) => {
    const before = await bench.paid()
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const bought = Promise.withResolvers<void>()
    proxy.fault(method, { ...fault, hold: bought.promise })
    const second = slow.post(request, header)
    await proxy.reached(method)
    const first = await server.post(request, header)
    expect(first.status).toBe(200)
    bought.resolve()
    const answer = await second
    expect([answer.status, await answer.text()]).toEqual([200, await first.text()])
    expect(await bench.paid()).toBe(before + 1)
  })
})
