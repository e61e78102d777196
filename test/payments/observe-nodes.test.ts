/** What nodes that lie, fall silent or disagree let the service conclude about a payment. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import type { Address, Hex } from "viem"
import { type Authorization, checkAuthorization } from "../../src/payments/authorization.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { observePayment, type Undecided, usedBlockAfter, type WatchedPayment } from "../../src/payments/observe.ts"
import { broadcast, openRelayer } from "../../src/payments/relayer.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import { cancelCall, type SigningOptions, sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, DEV_KEYS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"

const { payer, secondPayer, stranger } = DEV_ACCOUNTS
const chain = await startChain()
const proxy = startRpcProxy(chain.url)
const opened = openChain({ rpcUrl: proxy.url, network: BASE, timeoutMs: 5_000 })
const withSecond = openChain({ rpcUrl: chain.url, secondRpcUrl: proxy.url, network: BASE, timeoutMs: 5_000 })
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

describe("a node that gives wrong responses", () => {
  test("or none at all leaves the outcome open", async () => {
    const authorization = await signed()
    const hash = await settle(authorization)
    for (const method of ["eth_getTransactionReceipt", "eth_getBlockByNumber"]) {
      proxy.reset()
      proxy.fault(method, { reject: true })
      expect(await observe(authorization, [hash])).toMatchObject({ kind: "unavailable" })
    }
  })

  test("and leaves out of its logs what its state shows never proves a failure", async () => {
    const authorization = await signed()
    await settle(authorization)
    await chain.mine(2)
    proxy.fault("eth_getLogs", { result: [] })
    expect(await observe(authorization)).toEqual({
      kind: "pending",
      authorization: "USED_WITHOUT_LOG",
      sendable: false,
      head: expect.any(BigInt),
    })
  })

  test("and ignores the filter does not decide with another payer's events", async () => {
    const authorization = await signed()
    const cancelled = await signed()
    await chain.send(stranger, { to: usdc, data: await cancelCall(payer, cancelled.nonce) })
    await chain.send(stranger, { to: usdc, data: await cancelCall(secondPayer, authorization.nonce) })
    const logs = await chain.publicClient.request({
      method: "eth_getLogs",
      params: [{ address: usdc as Address, fromBlock: "0x0", toBlock: "latest" }],
    })
    const hash = await settle(authorization)
    await chain.mine(2)
    proxy.fault("eth_getLogs", { result: logs })
    expect(await observe(authorization)).toEqual({
      kind: "pending",
      authorization: "USED_WITHOUT_LOG",
      sendable: false,
      head: expect.any(BigInt),
    })
    proxy.reset()
    expect(await observe(authorization)).toMatchObject({ kind: "settled", txHash: hash })
  })
})

describe("two nodes", () => {
  const observeBoth = (authorization: Authorization, hashes: Hex[] = []) =>
    observePayment(withSecond, watching(authorization), hashes)

  test("that agree settle a payment", async () => {
    const authorization = await signed()
    const hash = await settle(authorization)
    expect(await observeBoth(authorization, [hash])).toMatchObject({ kind: "settled", txHash: hash })
  })

  test("leave a payment pending if one does not see it", async () => {
    const authorization = await signed()
    const hash = await settle(authorization)
    proxy.fault("eth_getTransactionReceipt", { result: null })
    expect(await observeBoth(authorization, [hash])).toMatchObject({ kind: "pending" })
  })

  test("leave the outcome open if one does not respond", async () => {
    const authorization = await signed()
    const hash = await settle(authorization)
    proxy.fault("*", { reject: true })
    expect(await observeBoth(authorization, [hash])).toEqual({
      kind: "unavailable",
      detail: "second node did not answer eth_getTransactionReceipt",
    })
  })

  test("leave a cancelled payment pending if one reports it as unused", async () => {
    const authorization = await signed()
    await chain.send(stranger, { to: usdc, data: await cancelCall(payer, authorization.nonce) })
    await chain.mine(1)
    proxy.fault("eth_call", { result: `0x${"00".repeat(32)}` })
    expect(await observeBoth(authorization)).toMatchObject({ kind: "pending" })
    proxy.reset()
    expect(await observeBoth(authorization)).toMatchObject({ kind: "failed", why: "cancelled", expired: false })
  })

  test("show a use as of the newer of their heads, and none as of the older", async () => {
    const authorization = await signed()
    const older = await opened.primary.query((block) => block, "eth_getBlockByNumber", "latest", false)
    const { number } = await opened.primary.block("latest")
    const showOlder = () =>
      proxy.fault("eth_getBlockByNumber", { when: ([which]) => which === "latest", result: older })
    await chain.mine(3)
    showOlder()
    expect(await observeBoth(authorization)).toMatchObject({ authorization: "UNUSED", head: number })
    await settle(authorization)
    expect(await observeBoth(authorization)).toMatchObject({ authorization: "USED", head: number + 4n })
  })
})

test("an older view of the chain takes back no use that a newer block showed, nor does a node that does not answer", () => {
  const seen = (authorization: Undecided, head: bigint) =>
    ({ kind: "pending", authorization, sendable: false, head }) as const
  const failed = { kind: "failed", why: "cancelled", expired: false, head: 8n } as const
  expect(usedBlockAfter(null, seen("UNUSED", 7n))).toBeNull()
  expect(usedBlockAfter(null, seen("USED", 7n))).toBe(7)
  expect(usedBlockAfter(7, seen("USED_WITHOUT_LOG", 9n))).toBe(9)
  expect(usedBlockAfter(7, seen("USED", 6n))).toBe(7)
  for (const head of [6n, 7n]) expect(usedBlockAfter(7, seen("UNUSED", head))).toBe(7)
  expect(usedBlockAfter(7, seen("UNUSED", 8n))).toBeNull()
  expect(usedBlockAfter(7, failed)).toBeNull()
  for (const before of [null, 7]) expect(usedBlockAfter(before, { kind: "unavailable", detail: "" })).toBe(before)
})
