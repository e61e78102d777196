import { afterAll, afterEach, describe, expect, test } from "bun:test"
import { encodeErrorResult, parseAbi } from "viem"
import { BASE } from "../../src/payments/networks/base.ts"
import { atBlock, CallFailed, openChain, RpcUnavailable, readAsset } from "../../src/payments/rpc.ts"
import { DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { type RpcFault, startRpcProxy } from "../fixtures/rpc-proxy.ts"

const chain = await startChain()
const proxy = startRpcProxy(chain.url)
const SECRET_PATH = "/v2/provider-key"
const rpcUrl = `${proxy.url}${SECRET_PATH}`
const { primary } = openChain({ rpcUrl, network: BASE, timeoutMs: 5_000 })
const { primary: impatient } = openChain({ rpcUrl, network: BASE, timeoutMs: 100 })
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

const call = { to: DEV_ACCOUNTS.stranger.address, data: "0xdeadbeef" } as const
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )

describe("openChain", () => {
  test("reads head, safe block, code, balances and the asset", async () => {
    await chain.mint(DEV_ACCOUNTS.payer.address, 7n)
    const head = await primary.block("latest")
    expect(head.timestamp).toBe(await chain.now())
    expect((await primary.block("safe")).number).toBe(head.number - 1n)
    expect(await primary.code(DEV_ACCOUNTS.payer.address)).toBeNull()
    expect((await primary.code(BASE.asset.address))?.length).toBeGreaterThan(100)
    expect(await readAsset(primary, BASE.asset, "balanceOf", [DEV_ACCOUNTS.payer.address])).toBe(7n)
    expect(await primary.nextNonce(DEV_ACCOUNTS.payer.address)).toBe(0)
  })

  test("reads state at one block, named by its hash", async () => {
    const before = await primary.block("latest")
    await chain.mint(DEV_ACCOUNTS.stranger.address, 9n)
    const account = [DEV_ACCOUNTS.stranger.address] as const
    expect(await readAsset(atBlock(primary, before.hash), BASE.asset, "balanceOf", account)).toBe(0n)
    expect(await readAsset(primary, BASE.asset, "balanceOf", account)).toBe(9n)
  })

  test("reports a refusal, a malformed response and a silent node as unavailable after one query, and quotes neither URL nor request", async () => {
    const faults: RpcFault[] = [
      { reject: true },
      { dropAnswer: true },
      { delayMs: 200 },
      { error: { code: -32005, message: "slow" } },
    ]
    for (const fault of faults) {
      proxy.reset()
      proxy.fault("eth_call", fault)
      const error = await failureOf((fault.delayMs ? impatient : primary).call(call))
      expect(error).toBeInstanceOf(RpcUnavailable)
      expect(proxy.count("eth_call")).toBe(1)
      const told = `${String(error)} ${Bun.inspect(error, { depth: 9 })}`
      expect(told).not.toContain("provider-key")
      expect(told).not.toContain("deadbeef")
    }
  })

  test("distinguishes a call that ran and reverted from a node that did not respond", async () => {
    for (const error of [
      { code: 3, message: "execution reverted: FiatTokenV2: invalid signature" },
      { code: -32000, message: "out of gas" },
      { code: -32603, message: "EVM error OutOfGas" },
    ]) {
      proxy.fault("eth_call", { error })
      expect(await failureOf(primary.call(call))).toBeInstanceOf(CallFailed)
    }
  })

  test("reports an asset with nonsense values as an unavailable node, not as a balance", async () => {
    proxy.fault("eth_call", { result: "0x" })
    const read = readAsset(primary, BASE.asset, "balanceOf", [DEV_ACCOUNTS.payer.address])
    expect(await failureOf(read)).toBeInstanceOf(RpcUnavailable)
  })

  test("never fetches the URL of a wallet that reverts with OffchainLookup", async () => {
    let fetched = 0
    const gateway = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        fetched++
        return Response.json({ data: "0x" })
      },
    })
    const data = encodeErrorResult({
      abi: parseAbi([
        "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)",
      ]),
      errorName: "OffchainLookup",
      args: [call.to, [`http://127.0.0.1:${gateway.port}/`], "0x", "0x12345678", "0x"],
    })
    proxy.fault("eth_call", { error: { code: 3, message: "execution reverted", data } })
    const error = await failureOf(primary.call(call))
    await gateway.stop(true)
    expect(error).toBeInstanceOf(CallFailed)
    expect(fetched).toBe(0)
  })
})
