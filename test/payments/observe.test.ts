import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { type Hex, toHex } from "viem"
import { type Authorization, authorizationOf, checkAuthorization } from "../../src/payments/authorization.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { observePayment, type WatchedPayment } from "../../src/payments/observe.ts"
import { broadcast, openRelayer } from "../../src/payments/relayer.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import {
  cancelCall,
  type SigningOptions,
  sampleTerms,
  signPayment,
  taggedSignature,
} from "../fixtures/authorizations.ts"
import { submitBatch } from "../fixtures/batch.ts"
import { DEV_ACCOUNTS, DEV_KEYS, randomNonce, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const { payer, stranger, payTo } = DEV_ACCOUNTS
const chain = await startChain()
const proxy = startRpcProxy(chain.url)
const opened = openChain({ rpcUrl: proxy.url, network: BASE, timeoutMs: 5_000 })
const relayer = openRelayer(DEV_KEYS[1], 8453)
const terms = sampleTerms()
const usdc = BASE.asset.address

beforeAll(() => chain.mint(payer.address, 1_000_000_000n))
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

async function signed(options: SigningOptions = {}): Promise<Authorization> {
  const now = await chain.now()
  const checked = checkAuthorization(await signPayment(payer, terms, now, options), terms, null)
  if (!checked.ok) throw new Error(checked.reason)
  return checked.authorization
}
const watching = ({ from, to, nonce, value, validAfter, validBefore }: Authorization): WatchedPayment => ({
  payer: from,
  payTo: to,
  nonce,
  value,
  validAfter,
  validBefore,
  maxTimeoutSeconds: terms.maxTimeoutSeconds,
  alreadyUsed: false,
})
const observe = (authorization: Authorization, hashes: Hex[] = []) =>
  observePayment(opened, watching(authorization), hashes)

async function sign(authorization: Authorization) {
  const nonce = await opened.primary.nextNonce(relayer.address)
  const gas = { gasLimit: 200_000n, maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
  return relayer.sign({ to: usdc, data: transferCall(authorization) }, nonce, gas)
}
/** Sends the transfer as the relayer does, waits until it is mined and returns its hash. */
async function settle(authorization: Authorization): Promise<Hex> {
  const { raw, hash } = await sign(authorization)
  await broadcast(opened.primary, raw)
  await chain.receiptOf(hash)
  return hash
}

/** One transaction by a stranger that submits several authorizations in order. */
const submitTogether = (authorizations: readonly Authorization[]) => submitBatch(chain, stranger, authorizations)
/** The same nonce signed for a transfer from the payer to the payer. */
async function toHimself(nonce: Hex): Promise<Authorization> {
  const { payload } = await signPayment(payer, terms, await chain.now(), { to: payer.address, nonce })
  return authorizationOf(payload)
}

describe("a payment that arrived", () => {
  test("is settled when mined, then safe, then final", async () => {
    const authorization = await signed()
    const txHash = await settle(authorization)
    const first = await observe(authorization, [txHash])
    const { blockNumber, blockHash } = await chain.receiptOf(txHash)
    const place = { txHash, blockNumber, blockHash, transferLogIndex: 1 }
    expect(first).toEqual({ kind: "settled", ...place, finality: "included", head: blockNumber })
    await chain.mine(1)
    expect(await observe(authorization, [txHash])).toMatchObject({ finality: "safe" })
    await chain.mine(1)
    expect(await observe(authorization, [txHash])).toMatchObject({ finality: "finalized" })
  })

  test("is found without any hash when a third party submitted it first", async () => {
    const authorization = await signed()
    const hash = await chain.send(stranger, { to: usdc, data: transferCall(authorization) })
    const ours = await settle(authorization)
    expect((await chain.receiptOf(ours)).status).toBe("reverted")
    expect(await observe(authorization, [ours])).toMatchObject({ kind: "settled", txHash: hash })
  })

  test("is found when the response to the broadcast was lost", async () => {
    const authorization = await signed()
    const { raw, hash } = await sign(authorization)
    proxy.fault("eth_sendRawTransaction", { dropAnswer: true })
    expect(await broadcast(opened.primary, raw)).toMatchObject({ kind: "lost" })
    await chain.receiptOf(hash)
    expect(await observe(authorization)).toMatchObject({ kind: "settled", txHash: hash })
  })

  test("is pending until it is mined, however late that is", async () => {
    const authorization = await signed()
    await chain.setAutomine(false)
    const { raw, hash } = await sign(authorization)
    await broadcast(opened.primary, raw)
    expect(await observe(authorization, [hash])).toMatchObject({ kind: "pending" })
    await chain.mine(1)
    await chain.setAutomine(true)
    expect(await observe(authorization, [hash])).toMatchObject({ kind: "settled" })
  })

  test("from a smart wallet with a 66-byte signature is settled like any other", async () => {
    const wallet = await chain.deployWallet1271(payer.address)
    await chain.mint(wallet, 1_000_000n)
    const authorization = await signed({ from: wallet, wrap: taggedSignature })
    await settle(authorization)
    expect(await observe(authorization)).toMatchObject({ kind: "settled" })
    const transfers = await chain.transfersTo(payTo.address)
    expect(transfers.filter((transfer) => transfer.from === wallet)).toHaveLength(1)
  })

  test("is also settled when its proof is old and the search starts in the middle of the chain", async () => {
    const authorization = await signed()
    await settle(authorization)
    await chain.mine(400)
    expect(await observe(authorization)).toMatchObject({ kind: "settled", finality: "finalized" })
  })
})

describe("one transfer", () => {
  test("proves one authorization, not the others used in the same transaction", async () => {
    const paid = await signed()
    const others = await Promise.all([signed(), signed()])
    const himself = await Promise.all(others.map((other) => toHimself(other.nonce)))
    const [before, after] = himself as [Authorization, Authorization]
    const hash = await submitTogether([before, paid, after])
    await chain.mine(1)
    expect(await observe(paid, [hash])).toMatchObject({ kind: "settled", txHash: hash, transferLogIndex: 3 })
    for (const other of others) {
      expect(await observe(other, [hash])).toMatchObject({
        kind: "failed",
        why: "used_for_another_transfer",
        expired: false,
      })
    }
  })

  test("of less than the price proves nothing, and ends the authorization that it used", async () => {
    const authorization = await signed()
    const cheap = await signPayment(payer, terms, await chain.now(), { value: 1n, nonce: authorization.nonce })
    const signature = cheap.payload.signature as Hex
    const validBefore = Number(cheap.payload.authorization.validBefore)
    const hash = await submitTogether([{ ...authorization, value: 1n, validBefore, signature }])
    await chain.mine(1)
    expect(await observe(authorization, [hash])).toMatchObject({
      kind: "failed",
      why: "used_for_another_transfer",
      expired: false,
    })
  })

  test("in a transaction with another payment has its own name", async () => {
    const [a, b] = (await Promise.all([signed(), signed()])) as [Authorization, Authorization]
    const hash = await submitTogether([a, b])
    const names = await Promise.all([observe(a), observe(b)])
    expect(names).toMatchObject([
      { kind: "settled", txHash: hash, transferLogIndex: 1 },
      { kind: "settled", txHash: hash, transferLogIndex: 3 },
    ])
  })

  test("claimed for another payment proves nothing", async () => {
    const hash = await settle(await signed())
    const unpaid = await signed()
    expect(await observe(unpaid, [hash, randomNonce()])).toMatchObject({ kind: "pending" })
  })
})

describe("a payment that did not arrive", () => {
  test("failed as cancelled once the cancellation is safe", async () => {
    const authorization = await signed()
    await chain.send(stranger, { to: usdc, data: await cancelCall(payer, authorization.nonce) })
    expect(await observe(authorization)).toMatchObject({ kind: "pending" })
    // A state read beyond the safe block does not make the cancellation safe.
    proxy.fault("eth_call", { result: toHex(1, { size: 32 }) })
    expect(await observe(authorization)).toMatchObject({ kind: "pending" })
    proxy.reset()
    await chain.mine(1)
    expect(await observe(authorization)).toMatchObject({ kind: "failed", why: "cancelled", expired: false })
  })

  test("is pending while a node shows its cancellation in a block that is not in the chain", async () => {
    const authorization = await signed()
    await chain.send(stranger, { to: usdc, data: await cancelCall(payer, authorization.nonce) })
    await chain.mine(1)
    const [log] = await chain.publicClient.request({
      method: "eth_getLogs",
      params: [{ address: usdc, topics: [null, null, authorization.nonce], fromBlock: "0x0", toBlock: "latest" }],
    })
    proxy.fault("eth_getLogs", { result: [{ ...log, blockHash: randomNonce() }] })
    expect(await observe(authorization)).toMatchObject({ kind: "pending" })
    proxy.fault("eth_getLogs", { result: [log] })
    expect(await observe(authorization)).toMatchObject({ kind: "failed", why: "cancelled", expired: false })
  })

  test("failed as expired only when a safe block's time has reached validBefore", async () => {
    const authorization = await signed()
    for (const timestamp of [authorization.validBefore - 1, authorization.validBefore]) {
      await chain.setNextBlockTimestamp(timestamp)
      await chain.mine(1)
    }
    expect((await opened.primary.block("latest")).timestamp).toBe(authorization.validBefore)
    expect((await opened.primary.block("safe")).timestamp).toBe(authorization.validBefore - 1)
    expect(await observe(authorization)).toMatchObject({ kind: "pending" })
    await chain.mine(1)
    expect(await observe(authorization)).toMatchObject({ kind: "failed", why: "expired_unused", expired: true })
    const late = await settle(authorization)
    expect((await chain.receiptOf(late)).status).toBe("reverted")
  })

  test("failed when its nonce was spent before any quote it could answer", async () => {
    const himself = await toHimself(randomNonce())
    await submitTogether([himself])
    await chain.increaseTime(3_600)
    await chain.mine(2)
    const authorization = await signed({ nonce: himself.nonce })
    const seenUsed = { ...watching(authorization), alreadyUsed: true }
    expect(await observePayment(opened, seenUsed)).toEqual({
      kind: "pending",
      authorization: "USED_WITHOUT_LOG",
      sendable: false,
      head: expect.any(BigInt),
    })
    await chain.setNextBlockTimestamp(authorization.validBefore)
    await chain.mine(2)
    expect(await observePayment(opened, seenUsed)).toMatchObject({ why: "used_for_another_transfer", expired: true })
    // The same response for a nonce that was read as unused contradicts that read, so it is no outcome.
    expect(await observe(authorization)).toEqual({
      kind: "pending",
      authorization: "USED_WITHOUT_LOG",
      sendable: false,
      head: expect.any(BigInt),
    })
  })
})

describe("a chain that reorganizes", () => {
  test("makes a payment pending again when its block is replaced, whatever receipt a node still shows", async () => {
    const authorization = await signed()
    const hash = await settle(authorization)
    const receipt = await chain.publicClient.request({ method: "eth_getTransactionReceipt", params: [hash] })
    expect(await observe(authorization, [hash])).toMatchObject({ kind: "settled" })
    await chain.reorganize(1)
    expect(await observe(authorization, [hash])).toMatchObject({ kind: "pending" })
    proxy.fault("eth_getTransactionReceipt", { result: receipt })
    expect(await observe(authorization, [hash])).toMatchObject({ kind: "pending" })
    proxy.reset()
    const again = await settle(authorization)
    expect(await observe(authorization, [again])).toMatchObject({ kind: "settled" })
  })

  test("may return a transfer in a block older than its quote; it is found, also if it was already used when presented", async () => {
    const payment = await signPayment(payer, terms, (await chain.now()) + 700)
    const authorization = authorizationOf(payment.payload)
    const txHash = await settle(authorization)
    expect(await observe(authorization)).toMatchObject({ kind: "settled", txHash })
    const seenUsed = { ...watching(authorization), alreadyUsed: true }
    expect(await observePayment(opened, seenUsed)).toMatchObject({ kind: "settled", txHash })
  })

  test("gives no inclusion through a receipt above the node's own head", async () => {
    const old = await chain.publicClient.request({ method: "eth_getBlockByNumber", params: ["latest", false] })
    const authorization = await signed()
    const hash = await settle(authorization)
    proxy.fault("eth_getBlockByNumber", { result: old, when: ([which]) => which === "latest" })
    expect(await observe(authorization, [hash])).toMatchObject({ kind: "pending" })
  })
})
