import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test"
import { keccak256, parseTransaction, recoverTransactionAddress } from "viem"
import type { Gas } from "../../src/payments/gas.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { broadcast, openRelayer } from "../../src/payments/relayer.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { DEV_KEYS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"

const chain = await startChain()
const proxy = startRpcProxy(chain.url)
const { primary } = openChain({ rpcUrl: proxy.url, network: BASE, timeoutMs: 5_000 })
const relayer = openRelayer(DEV_KEYS[1], 8453)
const gas: Gas = { gasLimit: 60_000n, maxFeePerGas: 50_000_000n, maxPriorityFeePerGas: 1_000_000n }
let nonce = 0
beforeEach(async () => {
  nonce = await primary.nextNonce(relayer.address)
})
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

const mined = chain.receiptOf

describe("openRelayer", () => {
  test("signs exactly the given call and nonce, and sends nothing", async () => {
    const call = { to: BASE.asset.address, data: "0x12345678" } as const
    const { raw, hash } = await relayer.sign(call, 41, gas)
    expect(hash).toBe(keccak256(raw))
    expect(parseTransaction(raw)).toMatchObject({
      chainId: 8453,
      nonce: 41,
      to: BASE.asset.address.toLowerCase(),
      data: "0x12345678",
      gas: 60_000n,
      maxFeePerGas: 50_000_000n,
    })
    expect(proxy.count("eth_sendRawTransaction")).toBe(0)
  })

  test("fills a nonce with a zero transfer to the relayer itself", async () => {
    const { raw, hash } = await relayer.signFill(nonce, gas)
    expect(await broadcast(primary, raw)).toEqual({ kind: "accepted", detail: hash })
    expect(await mined(hash)).toMatchObject({ status: "success", from: relayer.address.toLowerCase() })
    expect(parseTransaction(raw).value ?? 0n).toBe(0n)
    expect(await primary.nextNonce(relayer.address)).toBe(nonce + 1)
  })

  test("signs stored bytes again with other fees and nothing else changed", async () => {
    const { raw } = await relayer.sign({ to: BASE.asset.address, data: "0x12345678" }, 41, gas)
    const raised = await relayer.resign(raw, (previous) => ({
      maxFeePerGas: previous.maxFeePerGas * 2n,
      maxPriorityFeePerGas: previous.maxPriorityFeePerGas + 1n,
    }))
    const fees = { maxFeePerGas: 100_000_000n, maxPriorityFeePerGas: 1_000_001n }
    expect(raised).toMatchObject({ ...fees, hash: keccak256(raised.raw) })
    const { r: _r, s: _s, v: _v, yParity: _y, ...before } = parseTransaction(raw)
    const { r: _r2, s: _s2, v: _v2, yParity: _y2, ...after } = parseTransaction(raised.raw)
    expect<object>(after).toEqual({ ...before, ...fees })
    const serializedTransaction = raised.raw as `0x02${string}`
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(relayer.address)
    const fill = await relayer.signFill(0, gas)
    expect(parseTransaction((await relayer.resign(fill.raw, (fees) => fees)).raw)).toEqual(parseTransaction(fill.raw))
  })

  test("rejects an invalid key without repeating it", () => {
    expect(() => openRelayer("0xsecretsecret" as never, 8453)).toThrow("the relayer key is not 32 bytes of hex")
  })
})

describe("broadcast", () => {
  test("reports the same bytes as known, while pending and when mined", async () => {
    await chain.setAutomine(false)
    const { raw } = await relayer.signFill(nonce, gas)
    expect(await broadcast(primary, raw)).toMatchObject({ kind: "accepted" })
    expect(await broadcast(primary, raw)).toEqual({ kind: "known", detail: "already_known" })
    await chain.mine(1)
    await chain.setAutomine(true)
    await mined(keccak256(raw))
    expect(await broadcast(primary, raw)).toEqual({ kind: "known", detail: "nonce_too_low" })
  })

  test("reports a lost response as lost, though the transaction is mined", async () => {
    const { raw, hash } = await relayer.signFill(nonce, gas)
    proxy.fault("eth_sendRawTransaction", { dropAnswer: true })
    expect(await broadcast(primary, raw)).toEqual({ kind: "lost", detail: "no_answer" })
    expect((await mined(hash)).status).toBe("success")
  })

  test("reports a rejection by the node in the service's own words", async () => {
    const poor = { ...gas, maxFeePerGas: 10n ** 18n, maxPriorityFeePerGas: 10n ** 18n }
    const { raw } = await relayer.signFill(nonce, poor)
    expect(await broadcast(primary, raw)).toEqual({ kind: "rejected", detail: "insufficient_funds" })
    proxy.fault("eth_sendRawTransaction", { error: { code: -32000, message: `strange words about ${raw}` } })
    expect(await broadcast(primary, raw)).toEqual({ kind: "rejected", detail: "code_-32000" })
  })

  test("rejects a replacement that does not pay more, and accepts one that does", async () => {
    await chain.setAutomine(false)
    const first = await relayer.signFill(nonce, gas)
    const same = await relayer.sign({ to: relayer.address, data: "0x01" }, nonce, gas)
    const bumped = await relayer.signFill(nonce, {
      ...gas,
      maxFeePerGas: (gas.maxFeePerGas * 9n) / 8n,
      maxPriorityFeePerGas: (gas.maxPriorityFeePerGas * 9n) / 8n,
    })
    expect(await broadcast(primary, first.raw)).toMatchObject({ kind: "accepted" })
    expect(await broadcast(primary, same.raw)).toEqual({ kind: "rejected", detail: "replacement_underpriced" })
    expect(await broadcast(primary, bumped.raw)).toMatchObject({ kind: "accepted" })
    await chain.mine(1)
    await chain.setAutomine(true)
    expect((await mined(bumped.hash)).status).toBe("success")
  })
})
