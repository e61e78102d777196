/** The payment code on the model: the cases of the tests against a real node, without a node. */
import { describe, expect, spyOn } from "bun:test"
import type { Address, Hex } from "viem"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import type { Authorization } from "../../../src/payments/authorization.ts"
import { planGas } from "../../../src/payments/gas.ts"
import { BASE } from "../../../src/payments/networks/base.ts"
import { nodeCheck } from "../../../src/payments/node-check.ts"
import { observePayment } from "../../../src/payments/observe.ts"
import { broadcast } from "../../../src/payments/relayer.ts"
import { transferCall } from "../../../src/payments/transfer-call.ts"
import { verifyPayment } from "../../../src/payments/verify-payment.ts"
import { ModelNode } from "../../../src/sandbox/chain/model-node.ts"
import { openModelChain } from "../../../src/sandbox/chain/open-model-chain.ts"
import { cancelCall, signPayment, taggedSignature } from "../../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, randomNonce } from "../../fixtures/chain.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { openModelBench, watching } from "./model-bench.ts"
import { BATCH_ADDRESS, batchCall } from "./parts/batch-call.ts"
import { gasBurner, ownedWallet } from "./parts/wallet.ts"

const test = slowTests(import.meta.path)

const { payer, stranger, relayer } = DEV_ACCOUNTS
const usdc = BASE.asset.address
type Bench = ReturnType<typeof openModelBench>

const observe = (bench: Bench, authorization: Authorization, hashes: Hex[] = []) =>
  observePayment(bench.chain, watching(authorization), hashes)

/** The same nonce, signed for a transfer from the payer to itself. */
async function toHimself(bench: Bench, nonce: Hex): Promise<Hex> {
  const payment = await signPayment(payer, bench.terms, bench.now(), { to: payer.address, nonce })
  const { authorization, signature } = payment.payload
  return transferCall({
    from: payer.address,
    to: payer.address,
    value: BigInt(authorization.value),
    validAfter: 0,
    validBefore: Number(authorization.validBefore),
    nonce,
    signature: signature as Hex,
  })
}

function submitTogether({ model, mine }: Bench, calls: readonly Hex[]): Hex {
  const data = batchCall(calls.map((callData) => ({ target: usdc, callData })))
  const hash = model.submit({ from: stranger.address, to: BATCH_ADDRESS, data })
  mine()
  return hash
}

describe("a payment that arrived", () => {
  test("is settled once mined, then safe, then final", async () => {
    const bench = openModelBench()
    const authorization = await bench.signed()
    const txHash = await bench.settle(authorization)
    const { number, hash } = bench.model.head
    expect(await observe(bench, authorization, [txHash])).toEqual({
      kind: "settled",
      txHash,
      blockNumber: BigInt(number),
      blockHash: hash,
      transferLogIndex: 1,
      finality: "included",
      head: BigInt(number),
    })
    bench.mine()
    expect(await observe(bench, authorization, [txHash])).toMatchObject({ finality: "safe" })
    bench.mine()
    expect(await observe(bench, authorization, [txHash])).toMatchObject({ finality: "finalized" })
  })

  test("is found without its hash when a thief submitted it first, even hundreds of blocks later", async () => {
    const bench = openModelBench()
    const authorization = await bench.signed()
    const hash = bench.submit(stranger.address, transferCall(authorization))
    const ours = await bench.settle(authorization)
    expect(bench.model.receipt(ours)?.isSuccess).toBe(false)
    expect(await observe(bench, authorization, [ours])).toMatchObject({ kind: "settled", txHash: hash })
    bench.mine(400)
    expect(await observe(bench, authorization)).toMatchObject({ kind: "settled", finality: "finalized" })
  })

  test("is pending until it is mined", async () => {
    const bench = openModelBench()
    const authorization = await bench.signed()
    const { raw, hash } = await bench.sign(authorization)
    await broadcast(bench.chain.primary, raw)
    expect(await observe(bench, authorization, [hash])).toMatchObject({ kind: "pending" })
    bench.mine()
    expect(await observe(bench, authorization, [hash])).toMatchObject({ kind: "settled" })
  })

  test("is pending again when its block is replaced, and settled when it is mined again", async () => {
    const bench = openModelBench({ safeLag: 3 })
    const authorization = await bench.signed()
    const hash = await bench.settle(authorization)
    bench.model.reorganize(1)
    expect(await observe(bench, authorization, [hash])).toMatchObject({ kind: "pending" })
    bench.mine()
    expect(await observe(bench, authorization, [hash])).toMatchObject({ kind: "settled", txHash: hash })
  })
})

describe("one transfer", () => {
  test("proves one of the six authorizations that its transaction uses", async () => {
    const bench = openModelBench()
    const paid = await bench.signed()
    const others = await Promise.all(Array.from({ length: 5 }, () => bench.signed()))
    const himself = await Promise.all(others.map(({ nonce }) => toHimself(bench, nonce)))
    const hash = submitTogether(bench, [...himself.slice(0, 3), transferCall(paid), ...himself.slice(3)])
    bench.mine()
    expect(await observe(bench, paid, [hash])).toMatchObject({ kind: "settled", transferLogIndex: 7 })
    for (const other of others) {
      expect(await observe(bench, other, [hash])).toMatchObject({ kind: "failed", why: "used_for_another_transfer" })
    }
  })
})

describe("a payment that did not arrive", () => {
  test("failed as cancelled once the cancellation is safe", async () => {
    const bench = openModelBench()
    const authorization = await bench.signed()
    bench.submit(stranger.address, await cancelCall(payer, authorization.nonce))
    expect(await observe(bench, authorization)).toMatchObject({ kind: "pending" })
    bench.mine()
    expect(await observe(bench, authorization)).toMatchObject({ kind: "failed", why: "cancelled" })
  })

  test("failed as expired only when a safe block's time has reached validBefore", async () => {
    const bench = openModelBench()
    const authorization = await bench.signed()
    bench.model.mine(authorization.validBefore - 1)
    bench.model.mine(authorization.validBefore)
    expect(await observe(bench, authorization)).toMatchObject({ kind: "pending" })
    bench.mine()
    expect(await observe(bench, authorization)).toMatchObject({ kind: "failed", why: "expired_unused" })
  })

  test("failed when its nonce was used before the time of its quote", async () => {
    const bench = openModelBench()
    const nonce = randomNonce()
    submitTogether(bench, [await toHimself(bench, nonce)])
    bench.model.mine(bench.now() + 3_600)
    bench.mine()
    const authorization = await bench.signed({ nonce })
    const seenUsed = { ...watching(authorization), alreadyUsed: true }
    expect(await observePayment(bench.chain, seenUsed)).toEqual({
      kind: "pending",
      authorization: "USED_WITHOUT_LOG",
      sendable: false,
      head: expect.any(BigInt),
    })
    bench.model.mine(authorization.validBefore)
    for (let block = 0; block < 4; block++) bench.mine()
    expect(await observePayment(bench.chain, seenUsed)).toMatchObject({
      kind: "failed",
      why: "used_for_another_transfer",
    })
  })
})

test("a payment that only one of two nodes has is pending; it is settled when both have it", async () => {
  const bench = openModelBench()
  const second = new ModelNode(bench.model)
  let lag = 1
  const chain = openModelChain(BASE, bench.node.request, async ({ method, params = [] }) =>
    second.answer(method, params, lag),
  )
  const authorization = await bench.signed()
  const hash = await bench.settle(authorization)
  expect(await observePayment(chain, watching(authorization), [hash])).toMatchObject({ kind: "pending" })
  lag = 0
  expect(await observePayment(chain, watching(authorization), [hash])).toMatchObject({ kind: "settled" })
})

test("the payment code and the model use no timer, clock, randomness or network", async () => {
  const bench = openModelBench()
  const authorization = await bench.signed()
  const { raw, hash } = await bench.sign(authorization)
  const used: string[] = []
  const spies = [
    ...(["setTimeout", "setInterval", "setImmediate"] as const).map((name) => spyOn(globalThis, name)),
    spyOn(Math, "random"),
    spyOn(Date, "now"),
    spyOn(performance, "now"),
    spyOn(globalThis, "fetch"),
  ]
  try {
    await broadcast(bench.chain.primary, raw)
    bench.mine()
    expect(await observe(bench, authorization, [hash])).toMatchObject({ kind: "settled" })
    expect(await observe(bench, authorization)).toMatchObject({ kind: "settled" })
    await bench.chain.primary.call({ to: usdc, data: transferCall(authorization) }).catch(() => null)
    used.push(...spies.filter((spy) => spy.mock.calls.length > 0).map((spy) => spy.getMockName()))
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  expect(used).toEqual([])
})

test("the same steps give the same hashes", async () => {
  const play = async () => {
    const bench = openModelBench({ safeLag: 3 })
    const nonce: Hex = `0x${"5".repeat(64)}`
    await bench.settle(await bench.signed({ nonce }))
    bench.model.reorganize(1)
    bench.submit(stranger.address, await cancelCall(payer, `0x${"6".repeat(64)}`))
    return Array.from({ length: bench.model.head.number + 1 }, (_, number) => {
      const block = bench.model.block(number)
      return [block?.hash, ...(block?.receipts.map(({ transaction }) => transaction.hash) ?? [])]
    })
  }
  expect(await play()).toEqual(await play())
})

describe("the checks before a payment is sent", () => {
  /** The official verifier reads the machine's clock. */
  const openToday = () => openModelBench({ genesisTime: Math.floor(Date.now() / 1_000) })
  const verify = (bench: Bench, authorization: Authorization) =>
    verifyPayment(bench.chain, authorization, bench.terms, relayer.address)

  test("accept a good payment, and refuse a used, forged, unfunded, paused or blacklisted one", async () => {
    const bench = openToday()
    const good = await bench.signed()
    expect(await verify(bench, good)).toMatchObject({
      isValid: true,
      payerHasCode: false,
      balance: { amount: 1_000_000_000n, block: 0n },
    })
    const forged = { ...good, nonce: randomNonce() }
    expect(await verify(bench, forged)).toMatchObject({ isValid: false, reason: "invalid_exact_evm_signature" })
    bench.model.setPaused(true)
    expect(await verify(bench, good)).toMatchObject({ isValid: false })
    bench.model.setPaused(false)
    bench.model.setBlacklisted(payer.address, true)
    expect(await verify(bench, good)).toMatchObject({ isValid: false })
    bench.model.setBlacklisted(payer.address, false)
    bench.model.setUsdc(payer.address, 1n)
    expect(await verify(bench, good)).toMatchObject({ reason: "invalid_exact_evm_insufficient_balance" })
    bench.model.setUsdc(payer.address, 10n ** 9n)
    await bench.settle(good)
    expect(await verify(bench, good)).toMatchObject({ reason: "nonce_already_used" })
  })

  test("ask a wallet with code on chain", async () => {
    const bench = openToday()
    const wallet: Address = "0x00000000000000000000000000000000000000aa"
    bench.model.setCode(wallet, ownedWallet(payer.address))
    bench.model.setUsdc(wallet, 10n ** 9n)
    const good = await bench.signed({ from: wallet, wrap: taggedSignature })
    expect(await verify(bench, good)).toMatchObject({ isValid: true, payerHasCode: true })
    const plain = await bench.signed({ from: wallet })
    expect(await verify(bench, plain)).toMatchObject({ isValid: false })
  })

  test("plan the gas, and refuse a wallet that burns too much", async () => {
    const bench = openToday()
    const policy = { ethUsdMicros: 1_000_000_000n, priorityFeeMax: 1_000_000_000n }
    expect(await planGas({ chain: bench.chain, gasPolicy: policy }, relayer.address, null, 790_000n)).toMatchObject({
      kind: "ready",
    })
    const wallet: Address = "0x00000000000000000000000000000000000000bb"
    bench.model.setUsdc(wallet, 10n ** 9n)
    const data = transferCall(await bench.signed({ from: wallet }))
    const plan = () =>
      planGas({ chain: bench.chain, gasPolicy: policy }, relayer.address, { data, payerHasCode: true }, 790_000n)
    bench.model.setCode(wallet, gasBurner(20_000n))
    expect(await plan()).toMatchObject({ kind: "ready" })
    bench.model.setCode(wallet, gasBurner(500_000n, { onlyWithFee: true }))
    expect(await plan()).toEqual({ kind: "refused", reason: "gas_limit_exceeded" })
    bench.model.setEther(relayer.address, 1n)
    expect(await plan()).toEqual({ kind: "not_now", code: "RELAYER_UNFUNDED" })
  })

  test("the node check accepts the model as a chain for payments", async () => {
    const bench = openToday()
    const { network, primary } = bench.chain
    const log = createLog("error", () => {}, realMachine.now)
    const { reasons } = nodeCheck({ machine: realMachine, log, environment: "test", network }, primary)
    expect(await reasons()).toEqual([])
  })
})
