import { describe, expect, test } from "bun:test"
import type { Hex } from "viem"
import { BATCH_ADDRESS, batchCall } from "../../src/chain-model/batch-call.ts"
import { gasBurner, ownedWallet } from "../../src/chain-model/wallet.ts"
import { broadcast } from "../../src/payments/relayer.ts"
import { readAsset } from "../../src/payments/rpc.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import { USDC_BASE } from "../../src/payments/usdc.ts"
import { cancelCall, signPayment, taggedSignature } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { GAS, lower, openModelBench } from "./model-bench.ts"

const { payer, secondPayer, payTo, stranger, relayer } = DEV_ACCOUNTS
const usdc = USDC_BASE.address
const PRICE = 790_000n

describe("a transfer with authorization", () => {
  test("moves the amount once and has its two events side by side", async () => {
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

  test("does not undo what was changed from outside the chain", () => {
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

test("a registered authorization counts for exactly its members, and any other is recovered", async () => {
  const { model, signed, settle } = openModelBench()
  const real = await signed()
  const made = { ...real, signature: `0x${"11".repeat(64)}1b` as Hex, nonce: `0x${"ab".repeat(32)}` as Hex }
  model.registerAuthorization(made)
  expect(model.receipt(await settle({ ...made, value: PRICE + 1n }))?.isSuccess).toBe(false)
  expect(model.receipt(await settle(made))?.isSuccess).toBe(true)
  expect(model.receipt(await settle(real))?.isSuccess).toBe(true)
})

describe("a payer with code", () => {
  test("is asked by its own rule", async () => {
    const { model, signed, settle, chain } = openModelBench()
    const wallet = "0x00000000000000000000000000000000000000aa"
    model.setWallet(wallet, ownedWallet(payer.address))
    model.setUsdc(wallet, PRICE)
    expect(await chain.primary.code(wallet)).toMatch(/^0x60/)
    const plain = await signed({ from: wallet })
    expect(model.receipt(await settle(plain))?.isSuccess).toBe(false)
    const tagged = await signed({ from: wallet, wrap: taggedSignature })
    expect(model.receipt(await settle(tagged))?.isSuccess).toBe(true)
    expect(await readAsset(chain.primary, USDC_BASE, "balanceOf", [wallet])).toBe(0n)
  })

  test("can burn all the gas of the transaction", async () => {
    const { model, signed, settle } = openModelBench()
    const wallet = "0x00000000000000000000000000000000000000bb"
    model.setWallet(wallet, gasBurner(5_000_000n))
    model.setUsdc(wallet, PRICE)
    const receipt = model.receipt(await settle(await signed({ from: wallet })))
    expect(receipt).toMatchObject({ isSuccess: false, gasUsed: GAS.gasLimit })
  })
})

describe("the mempool", () => {
  const fill = async (bench: ReturnType<typeof openModelBench>, nonce: number, percent = 100n) => {
    const fees = {
      maxFeePerGas: (GAS.maxFeePerGas * percent) / 100n,
      maxPriorityFeePerGas: (GAS.maxPriorityFeePerGas * percent) / 100n,
    }
    const { raw, hash } = await bench.relayer.signFill(nonce, { ...GAS, ...fees })
    return { hash, answer: await broadcast(bench.chain.primary, raw) }
  }

  test("answers in the words of a node", async () => {
    const bench = openModelBench()
    expect(await fill(bench, 0)).toMatchObject({ answer: { kind: "accepted" } })
    expect(await fill(bench, 0)).toMatchObject({ answer: { kind: "known", detail: "already_known" } })
    expect(await fill(bench, 0, 109n)).toMatchObject({ answer: { detail: "replacement_underpriced" } })
    const raised = await fill(bench, 0, 110n)
    expect(raised.answer.kind).toBe("accepted")
    bench.mine()
    expect(bench.model.receipt(raised.hash)).toMatchObject({ isSuccess: true, gasUsed: 21_000n })
    expect(await fill(bench, 0, 200n)).toMatchObject({ answer: { kind: "known", detail: "nonce_too_low" } })
    bench.model.setEther(relayer.address, 1n)
    expect(await fill(bench, 1)).toMatchObject({ answer: { detail: "insufficient_funds" } })
  })

  test("keeps a transaction above a gap until the gap is filled", async () => {
    const bench = openModelBench()
    const late = await fill(bench, 2)
    bench.mine()
    expect(bench.model.receipt(late.hash)).toBeNull()
    await fill(bench, 0)
    expect(await bench.chain.primary.nextNonce(relayer.address)).toBe(1)
    await fill(bench, 1)
    expect(await bench.chain.primary.nextNonce(relayer.address)).toBe(3)
    bench.mine()
    expect(bench.model.receipt(late.hash)).toMatchObject({ index: 2 })
  })

  test("keeps a transaction whose fee is under the base fee", async () => {
    const bench = openModelBench()
    const { hash } = await fill(bench, 0)
    bench.model.nextBaseFee = GAS.maxFeePerGas + 1n
    bench.mine()
    expect(bench.model.receipt(hash)).toBeNull()
    bench.model.nextBaseFee = GAS.maxFeePerGas
    bench.mine()
    expect(bench.model.receipt(hash)).toMatchObject({ effectiveGasPrice: GAS.maxFeePerGas })
  })

  test("loses what is dropped, and what is behind it waits", async () => {
    const bench = openModelBench()
    const first = await fill(bench, 0)
    const second = await fill(bench, 1)
    expect(bench.model.drop(first.hash)).toBe(true)
    bench.mine()
    expect(bench.model.receipt(second.hash)).toBeNull()
    await fill(bench, 0)
    bench.mine()
    expect(bench.model.receipt(second.hash)).not.toBeNull()
  })

  test("gives a block at most so many transactions, the best tip first", async () => {
    const bench = openModelBench({ blockTransactionsMax: 2 })
    const sent = [payer, secondPayer, stranger].map(({ address }, index) =>
      bench.model.submit({ from: address, to: address, maxPriorityFeePerGas: BigInt(index + 1) }),
    )
    bench.mine()
    expect(bench.model.head.receipts.map(({ transaction }) => transaction.hash)).toEqual([sent[2], sent[1]] as Hex[])
    bench.mine()
    expect(bench.model.receipt(sent[0] as Hex)).not.toBeNull()
  })
})

test("the sender of signed bytes is recovered", async () => {
  const { model, relayer: signer } = openModelBench()
  const { raw } = await signer.signFill(0, GAS)
  expect(model.readRaw(raw).from).toBe(lower(relayer.address))
  expect(() => model.readRaw("0x02aa")).toThrow("rlp")
})
