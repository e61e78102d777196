import { describe, expect, test } from "bun:test"
import type { Hex } from "viem"
import { broadcast } from "../../../src/payments/relayer.ts"
import { NodeError } from "../../../src/sandbox/chain/node-error.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { GAS, openModelBench } from "./model-bench.ts"

const { payer, secondPayer, stranger, relayer } = DEV_ACCOUNTS

describe("the mempool", () => {
  const fill = async (bench: ReturnType<typeof openModelBench>, nonce: number, percent = 100n) => {
    const fees = {
      maxFeePerGas: (GAS.maxFeePerGas * percent) / 100n,
      maxPriorityFeePerGas: (GAS.maxPriorityFeePerGas * percent) / 100n,
    }
    const { raw, hash } = await bench.relayer.signFill(nonce, { ...GAS, ...fees })
    return { hash, answer: await broadcast(bench.chain.primary, raw) }
  }

  test("answers with the error texts of a real node", async () => {
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

  test("loses a dropped transaction and keeps the ones behind it waiting", async () => {
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

  test("fills a block up to its limit of transactions, highest tip first", async () => {
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

describe("a transaction is refused", () => {
  const own = { from: stranger.address, to: stranger.address }
  const refusalOf = (run: () => unknown) => {
    try {
      return run()
    } catch (error) {
      return error instanceof NodeError ? error.message : error
    }
  }

  test("if the pool is full, unless it replaces another one", () => {
    const { model } = openModelBench({ poolMax: 2 })
    model.submit(own)
    model.submit(own)
    expect(refusalOf(() => model.submit(own))).toBe("txpool is full")
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 8n }
    model.submit({ ...own, ...fees, nonce: 1 })
    expect(model.waiting()).toHaveLength(2)
  })

  test("if it asks for too much or too little gas, or its tip is higher than its fee", () => {
    const { model } = openModelBench()
    expect(refusalOf(() => model.submit({ ...own, gas: 30_000_001n }))).toBe("exceeds block gas limit")
    const short = refusalOf(() => model.submit({ ...own, data: "0x0001", gas: 21_019n }))
    expect(short).toBe("intrinsic gas too low: gas 21019, minimum needed 21020")
    const tip = refusalOf(() => model.submit({ ...own, maxFeePerGas: 1n, maxPriorityFeePerGas: 2n }))
    expect(tip).toBe("max priority fee per gas higher than max fee per gas")
  })

  test("if the sender cannot pay for it and for all transactions waiting before it", () => {
    const { model } = openModelBench()
    const call = { ...own, gas: 21_000n, maxFeePerGas: 100n, maxPriorityFeePerGas: 1n }
    model.setEther(stranger.address, 2_100_000n * 2n)
    model.submit(call)
    model.submit(call)
    expect(refusalOf(() => model.submit(call))).toStartWith("insufficient funds for gas * price + value")
    expect(refusalOf(() => model.submit({ ...call, nonce: 9, value: 10n ** 9n }))).toStartWith("insufficient funds")
  })

  test("if it is for another chain or creates a contract", async () => {
    const { model } = openModelBench()
    const sign = (changes: object) =>
      stranger.signTransaction({ type: "eip1559", chainId: 8453, to: stranger.address, gas: 21_000n, ...changes })
    const [other, creation] = [await sign({ chainId: 1 }), await sign({ to: undefined, data: "0x60" })]
    expect(refusalOf(() => model.sendRaw(other))).toBe("invalid chain id for signer: have 1 want 8453")
    expect(refusalOf(() => model.sendRaw(creation))).toBe("this chain does not create contracts")
  })
})
