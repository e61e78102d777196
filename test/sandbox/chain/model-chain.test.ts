import { describe, expect } from "bun:test"
import type { Hex } from "viem"
import { BASE } from "../../../src/payments/networks/base.ts"
import { readAsset } from "../../../src/payments/rpc.ts"
import { transferCall } from "../../../src/payments/transfer-call.ts"
import { cancelCall, signPayment, taggedSignature } from "../../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { GAS, lower, openModelBench } from "./model-bench.ts"
import { BATCH_ADDRESS, batchCall } from "./parts/batch-call.ts"
import { gasBurner, ownedWallet } from "./parts/wallet.ts"

const test = slowTests(import.meta.path)

const { payer, secondPayer, payTo, stranger, relayer } = DEV_ACCOUNTS
const usdc = BASE.asset.address
const PRICE = 790_000n

describe("a transfer with authorization", () => {
  test("moves the amount once and emits its two events next to each other", async () => {
    const { model, settle, signed } = openModelBench()
    const authorization = await signed()
    const hash = await settle(authorization)
    expect(model.receipt(hash)).toMatchObject({ isSuccess: true, index: 0 })
    expect(model.receipt(hash)?.logs.map(({ index, topics }) => [index, topics.length])).toEqual([
      [0, 3],
      [1, 3],
    ])
    expect(model.ledger.usdc(lower(payTo.address))).toBe(PRICE)
    expect(model.ledger.usdc(lower(payer.address))).toBe(1_000_000_000n - PRICE)
    const again = await settle(authorization)
    expect(model.receipt(again)).toMatchObject({ isSuccess: false, logs: [] })
    expect(model.ledger.usdc(lower(payTo.address))).toBe(PRICE)
  })

  test("is valid strictly between validAfter and validBefore on the block's clock", async () => {
    const { model, now, terms } = openModelBench()
    const times = { validAfter: now() + 100, validBefore: now() + 104 }
    const payment = await signPayment(payer, terms, now(), times)
    const { authorization, signature } = payment.payload
    const data = transferCall({
      from: payer.address,
      to: payTo.address,
      value: PRICE,
      ...times,
      nonce: authorization.nonce as Hex,
      signature: signature as Hex,
    })
    const successAt = (timestamp: number) => {
      const hash = model.submit({ from: stranger.address, to: usdc, data })
      model.mine(timestamp)
      const isSuccess = model.receipt(hash)?.isSuccess
      if (isSuccess) model.reorganize(1, () => false)
      return isSuccess
    }
    expect(successAt(times.validAfter)).toBe(false)
    expect(successAt(times.validAfter + 1)).toBe(true)
    expect(successAt(times.validBefore - 1)).toBe(true)
    expect(successAt(times.validBefore)).toBe(false)
  })
})

describe("a reorganization", () => {
  test("restores the state exactly and puts the transactions back into the pool", async () => {
    const { model, settle, signed, mine, node } = openModelBench({ safeLag: 3 })
    mine(3)
    const authorization = await signed()
    const before = node.answer("eth_getBalance", [relayer.address, "latest"], 0)
    const old = model.head
    const hash = await settle(authorization)
    const dropped = model.head
    mine(1)
    model.reorganize(2)
    expect(model.head).toBe(old)
    expect(model.receipt(hash)).toBeNull()
    expect(model.ledger.usdc(lower(payTo.address))).toBe(0n)
    expect(model.ledger.nonce(lower(relayer.address))).toBe(0)
    expect(node.answer("eth_getBalance", [relayer.address, "latest"])).toBe(before)
    expect(model.waiting().map((transaction) => transaction.hash)).toEqual([hash])
    mine(1)
    expect(model.head.number).toBe(dropped.number)
    expect(model.head.hash).not.toBe(dropped.hash)
    expect(model.receipt(hash)).toMatchObject({ isSuccess: true })
    expect(model.ledger.usdc(lower(payTo.address))).toBe(PRICE)
  })

  test("can lose transactions", async () => {
    const { model, settle, signed, mine } = openModelBench({ safeLag: 3 })
    const hash = await settle(await signed())
    model.reorganize(1, () => false)
    mine(2)
    expect(model.receipt(hash)).toBeNull()
    expect(model.waiting()).toEqual([])
  })

  test("never drops the safe block", () => {
    const { model, mine } = openModelBench({ safeLag: 2 })
    mine(5)
    expect(() => model.reorganize(3)).toThrow(RangeError)
    model.reorganize(2)
    expect(model.head.number).toBe(3)
    expect(model.safe.number).toBe(3)
    mine(1)
    expect(model.safe.number).toBe(3)
  })

  test("does not undo changes made from outside the chain", () => {
    const { model, mine } = openModelBench({ safeLag: 3 })
    mine(2)
    model.setUsdc(secondPayer.address, 5n)
    model.setPaused(true)
    model.reorganize(2)
    expect(model.ledger.usdc(lower(secondPayer.address))).toBe(5n)
    expect(model.ledger.isPaused()).toBe(true)
  })
})

describe("a batch", () => {
  test("uses several authorizations in one transaction, each event after the other", async () => {
    const { model, mine, signed } = openModelBench()
    const authorizations = await Promise.all([signed(), signed(), signed()])
    const data = batchCall(authorizations.map((one) => ({ target: usdc, callData: transferCall(one) })))
    const hash = model.submit({ from: stranger.address, to: BATCH_ADDRESS, data })
    mine()
    expect(model.receipt(hash)?.logs.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
    expect(model.ledger.usdc(lower(payTo.address))).toBe(3n * PRICE)
  })

  test("changes nothing when one of its calls fails", async () => {
    const { model, mine, signed } = openModelBench()
    const [first, second] = await Promise.all([signed(), signed()])
    const broken = { ...(second as typeof first), signature: (first as { signature: Hex }).signature }
    const data = batchCall([first, broken].map((one) => ({ target: usdc, callData: transferCall(one as never) })))
    const hash = model.submit({ from: stranger.address, to: BATCH_ADDRESS, data })
    mine()
    expect(model.receipt(hash)).toMatchObject({ isSuccess: false, logs: [] })
    expect(model.ledger.usdc(lower(payTo.address))).toBe(0n)
  })
})

test("a cancelled authorization cannot be used", async () => {
  const { model, signed, submit, settle } = openModelBench()
  const authorization = await signed()
  const cancelled = submit(stranger.address, await cancelCall(payer, authorization.nonce))
  expect(model.receipt(cancelled)?.logs).toHaveLength(1)
  expect(model.receipt(await settle(authorization))?.isSuccess).toBe(false)
})

test("a registered authorization is valid for exactly its members; any other is verified by its signature", async () => {
  const { model, signed, settle } = openModelBench()
  const real = await signed()
  const made = { ...real, signature: `0x${"11".repeat(64)}1b` as Hex, nonce: `0x${"ab".repeat(32)}` as Hex }
  model.registerAuthorization(made)
  expect(model.receipt(await settle({ ...made, value: PRICE + 1n }))?.isSuccess).toBe(false)
  expect(model.receipt(await settle(made))?.isSuccess).toBe(true)
  expect(model.receipt(await settle(real))?.isSuccess).toBe(true)
})

describe("a payer with code", () => {
  test("is verified by its own code", async () => {
    const { model, signed, settle, chain } = openModelBench()
    const wallet = "0x00000000000000000000000000000000000000aa"
    model.setCode(wallet, ownedWallet(payer.address))
    model.setUsdc(wallet, PRICE)
    expect(await chain.primary.code(wallet)).toMatch(/^0x60/)
    const plain = await signed({ from: wallet })
    expect(model.receipt(await settle(plain))?.isSuccess).toBe(false)
    const tagged = await signed({ from: wallet, wrap: taggedSignature })
    expect(model.receipt(await settle(tagged))?.isSuccess).toBe(true)
    expect(await readAsset(chain.primary, BASE.asset, "balanceOf", [wallet])).toBe(0n)
  })

  test("can burn all the gas of the transaction", async () => {
    const { model, signed, settle } = openModelBench()
    const wallet = "0x00000000000000000000000000000000000000bb"
    model.setCode(wallet, gasBurner(5_000_000n))
    model.setUsdc(wallet, PRICE)
    const receipt = model.receipt(await settle(await signed({ from: wallet })))
    expect(receipt).toMatchObject({ isSuccess: false, gasUsed: GAS.gasLimit })
  })
})

test("a transaction with a value moves that ether, and its sender pays the gas", () => {
  const { model, mine } = openModelBench()
  const before = model.ledger.wei(lower(payTo.address))
  const hash = model.submit({ from: stranger.address, to: payTo.address, value: 5n, maxPriorityFeePerGas: 1n })
  mine()
  expect(model.ledger.wei(lower(payTo.address))).toBe(before + 5n)
  const price = model.receipt(hash)?.effectiveGasPrice ?? 0n
  expect(model.ledger.wei(lower(stranger.address))).toBe(10n ** 22n - 5n - 21_000n * price)
})

test("the sender of signed bytes is recovered from a legacy transaction too", async () => {
  const { model } = openModelBench()
  const raw = await stranger.signTransaction({
    type: "legacy",
    chainId: 8453,
    to: payTo.address,
    gas: 21_000n,
    gasPrice: 20_000_000n,
  })
  expect(model.readRaw(raw)).toMatchObject({ from: lower(stranger.address), maxPriorityFeePerGas: 20_000_000n })
})

test("the sender of signed bytes is recovered", async () => {
  const { model, relayer: signer } = openModelBench()
  const { raw } = await signer.signFill(0, GAS)
  expect(model.readRaw(raw).from).toBe(lower(relayer.address))
  expect(() => model.readRaw("0x02aa")).toThrow("rlp")
})
