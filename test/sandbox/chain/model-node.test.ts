import { describe, expect, test } from "bun:test"
import { encodeEventTopics, encodeFunctionData, type Hex, toHex } from "viem"
import { BASE } from "../../../src/payments/networks/base.ts"
import { atBlock, CallFailed, RpcUnavailable, readAsset } from "../../../src/payments/rpc.ts"
import { transferCall } from "../../../src/payments/transfer-call.ts"
import { domainSeparatorOf, USDC_ABI } from "../../../src/payments/usdc-contract.ts"
import { ModelNode } from "../../../src/sandbox/chain/model-node.ts"
import { NodeError } from "../../../src/sandbox/chain/node-error.ts"
import { cancelCall } from "../../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { GENESIS_TIME, lower, openModelBench } from "./model-bench.ts"
import { ownedWallet } from "./parts/wallet.ts"

const { payer, payTo, relayer, stranger } = DEV_ACCOUNTS
const usdc = BASE.asset.address

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )
function refusalOf(run: () => unknown): { code: number; message: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof NodeError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error("it was not refused")
}

describe("blocks", () => {
  test("are found by tag, number and hash, and a number above the head finds nothing", async () => {
    const { node, chain, model, mine } = openModelBench({ safeLag: 2, finalizedLag: 4 })
    mine(6)
    const numbers = await Promise.all((["latest", "safe", "finalized"] as const).map((tag) => chain.primary.block(tag)))
    expect(numbers.map(({ number }) => number)).toEqual([6n, 4n, 2n])
    expect((await chain.primary.block(3n)).timestamp).toBe(GENESIS_TIME + 6)
    expect(node.answer("eth_getBlockByHash", [model.head.hash, false])).toMatchObject({ number: "0x6" })
    expect(node.answer("eth_getBlockByNumber", ["0x7", false])).toBeNull()
    expect(await failureOf(chain.primary.block(7n))).toBeInstanceOf(RpcUnavailable)
    expect(node.answer("eth_getBlockByNumber", ["earliest", false])).toMatchObject({ number: "0x0" })
  })

  test("stop at the head of a node that is behind, and its safe block is the one of that time", () => {
    const { node, mine } = openModelBench({ safeLag: 2 })
    mine(6)
    expect(node.answer("eth_blockNumber", [], 3)).toBe("0x3")
    expect(node.answer("eth_getBlockByNumber", ["safe", false], 3)).toMatchObject({ number: "0x1" })
    expect(node.answer("eth_getBlockByNumber", ["0x4", false], 3)).toBeNull()
    expect(node.answer("eth_blockNumber", [], 100)).toBe("0x0")
  })
})

describe("state", () => {
  test("is exact at every block, by number, tag and hash", async () => {
    const { node, chain, model, mine, signed, settle, submit } = openModelBench({ safeLag: 2 })
    const [used, cancelled] = [await signed(), await signed()]
    mine(2)
    await settle(used)
    submit(stranger.address, await cancelCall(payer, cancelled.nonce))
    mine(2)
    const hashes = Array.from({ length: 6 }, (_, number) => model.block(number)?.hash as Hex)
    const stateAt = (nonce: Hex) =>
      Promise.all(
        hashes.map((hash) =>
          readAsset(atBlock(chain.primary, hash), BASE.asset, "authorizationState", [payer.address, nonce]),
        ),
      )
    expect(await stateAt(used.nonce)).toEqual([false, false, false, true, true, true])
    expect(await stateAt(cancelled.nonce)).toEqual([false, false, false, false, true, true])
    const balances = hashes.map((hash) =>
      readAsset(atBlock(chain.primary, hash), BASE.asset, "balanceOf", [payTo.address]),
    )
    expect(await Promise.all(balances)).toEqual([0n, 0n, 0n, 790_000n, 790_000n, 790_000n])
    const counts = ["0x2", "0x3", "safe", "latest", "pending", { blockHash: hashes[2] }, { blockNumber: "0x3" }]
    expect(counts.map((at) => node.answer("eth_getTransactionCount", [relayer.address, at]))).toEqual([
      "0x0",
      "0x1",
      "0x1",
      "0x1",
      "0x1",
      "0x0",
      "0x1",
    ])
    expect(node.answer("eth_getBalance", [relayer.address, "0x2"])).toBe(toHex(10n ** 22n))
    expect(BigInt(node.answer("eth_getBalance", [relayer.address, "0x3"]) as Hex)).toBeLessThan(10n ** 22n)
  })

  test("at a replaced block stays readable until the safe block has passed it", async () => {
    const { chain, model, mine, signed, settle } = openModelBench({ safeLag: 3 })
    const [kept, lost] = [await signed(), await signed()]
    await settle(kept)
    await settle(lost)
    const replaced = model.head.hash
    model.reorganize(1, () => false)
    mine(1)
    const spent = (nonce: Hex, hash: Hex) =>
      readAsset(atBlock(chain.primary, hash), BASE.asset, "authorizationState", [payer.address, nonce])
    expect([await spent(kept.nonce, replaced), await spent(lost.nonce, replaced)]).toEqual([true, true])
    expect([await spent(kept.nonce, model.head.hash), await spent(lost.nonce, model.head.hash)]).toEqual([true, false])
    // A deeper reorganization also drops the block below. The replaced block keeps its own history.
    model.reorganize(2, () => false)
    expect([await spent(kept.nonce, replaced), await spent(lost.nonce, replaced)]).toEqual([true, true])
    mine(6)
    expect(await failureOf(spent(kept.nonce, replaced))).toBeInstanceOf(RpcUnavailable)
  })

  test("includes the token's constants and accounts without code", async () => {
    const { node, chain } = openModelBench()
    expect(await readAsset(chain.primary, BASE.asset, "DOMAIN_SEPARATOR", [])).toBe(domainSeparatorOf(BASE.asset))
    expect(await readAsset(chain.primary, BASE.asset, "paused", [])).toBe(false)
    expect(await chain.primary.code(payer.address)).toBeNull()
    expect(await chain.primary.code(usdc)).not.toBeNull()
    const oracle = "0x420000000000000000000000000000000000000F"
    expect(await chain.primary.call({ to: oracle, data: "0x12345678" })).toBe("0x")
    expect(node.answer("eth_chainId", [])).toBe("0x2105")
  })
})

describe("a call that would write", () => {
  test("runs on the state without changing it, and reports why it fails", async () => {
    const { node, model, chain, signed, settle } = openModelBench()
    const authorization = await signed()
    const data = transferCall(authorization)
    expect(await chain.primary.call({ to: usdc, data, from: relayer.address })).toBe("0x")
    expect(await chain.primary.estimateGas({ to: usdc, data, from: relayer.address })).toBeGreaterThan(60_000n)
    expect(model.ledger.usdc(lower(payTo.address))).toBe(0n)
    await settle(authorization)
    expect(await failureOf(chain.primary.estimateGas({ to: usdc, data }))).toBeInstanceOf(CallFailed)
    expect(refusalOf(() => node.answer("eth_call", [{ to: usdc, data }, "latest"]))).toEqual({
      code: 3,
      message: "execution reverted: FiatTokenV2: authorization is used or canceled",
    })
    expect(node.answer("eth_call", [{ to: usdc, data }, "0x0"])).toBe("0x")
    expect(node.answer("eth_call", [{ to: usdc, data }, "latest"], 1)).toBe("0x")
  })

  test("is refused with a node's error text if the sender cannot pay for it", async () => {
    const { node, model, signed } = openModelBench()
    const call = { to: usdc, data: transferCall(await signed()), from: relayer.address, gas: toHex(2_000_000n) }
    const estimate = (maxFeePerGas: bigint) => () =>
      node.answer("eth_estimateGas", [{ ...call, maxFeePerGas: toHex(maxFeePerGas) }])
    expect(refusalOf(estimate(1n)).message).toStartWith("max fee per gas less than block base fee")
    model.setEther(relayer.address, 20_000_000n * 1_000n)
    expect(refusalOf(estimate(20_000_000n)).message).toBe("gas required exceeds allowance (1000)")
    expect(refusalOf(() => node.answer("eth_call", [{ ...call, gas: "0x100" }, "latest"])).message).toBe("out of gas")
  })

  test("to a wallet checks a signature by the wallet's own rule", async () => {
    const { node, model, signed } = openModelBench()
    const wallet = "0x00000000000000000000000000000000000000aa"
    model.setCode(wallet, ownedWallet(payer.address))
    const digest = model.signatures.transferDigest({
      ...(await signed()),
      from: wallet,
      to: lower(payTo.address),
      validAfter: 0n,
      validBefore: 1n,
    })
    const signature = await payer.sign({ hash: digest })
    const ask = (given: Hex) =>
      node.answer("eth_call", [
        {
          to: wallet,
          data: encodeFunctionData({
            abi: [
              {
                type: "function",
                name: "isValidSignature",
                stateMutability: "view",
                inputs: [{ type: "bytes32" }, { type: "bytes" }],
                outputs: [{ type: "bytes4" }],
              },
            ],
            args: [digest, given],
          }),
        },
        "latest",
      ])
    expect(ask(`0x01${signature.slice(2)}`)).toStartWith("0x1626ba7e")
    expect(ask(signature)).toStartWith("0xffffffff")
  })
})

describe("logs", () => {
  test("are found by topics with alternatives, in a range or in one block", async () => {
    const { node, model, mine, signed, settle, submit } = openModelBench()
    const [used, cancelled] = [await signed(), await signed()]
    const hash = await settle(used)
    const { hash: blockHash } = model.head
    submit(stranger.address, await cancelCall(payer, cancelled.nonce))
    mine(3)
    const [usedTopic, canceledTopic, transferTopic] = (
      ["AuthorizationUsed", "AuthorizationCanceled", "Transfer"] as const
    ).map((eventName) => encodeEventTopics({ abi: USDC_ABI, eventName })[0])
    const find = (filter: object) => node.answer("eth_getLogs", [filter]) as { topics: Hex[]; logIndex: Hex }[]
    const all = { fromBlock: "0x0", toBlock: "latest" }
    expect(find({ ...all, address: usdc })).toHaveLength(3)
    expect(find({ ...all, topics: [[usedTopic, canceledTopic]] })).toHaveLength(2)
    expect(find({ ...all, topics: [[usedTopic, canceledTopic], null, cancelled.nonce] })).toHaveLength(1)
    expect(find({ ...all, topics: [transferTopic, null, null, null] })).toEqual([])
    expect(find({ ...all, address: payTo.address })).toEqual([])
    expect(find({ blockHash, topics: [transferTopic] })).toMatchObject([
      { transactionHash: hash, logIndex: "0x1", blockNumber: "0x1", removed: false },
    ])
    expect(find({ fromBlock: "0x2", toBlock: "0x400" })).toHaveLength(1)
    expect(node.answer("eth_getLogs", [all], 4)).toHaveLength(2)
  })

  test("of too many blocks, of a reversed range or of an unknown block are refused", () => {
    const { model } = openModelBench()
    const node = new ModelNode(model, { logRangeMax: 100 })
    const find = (filter: object) => () => node.answer("eth_getLogs", [filter])
    expect(refusalOf(find({ fromBlock: "0x0", toBlock: "0x64" }))).toEqual({
      code: -32_614,
      message: "eth_getLogs is limited to a 100 block range",
    })
    expect(refusalOf(find({ fromBlock: "0x2", toBlock: "0x1" })).message).toBe("invalid block range params")
    expect(refusalOf(find({ blockHash: `0x${"1".repeat(64)}` })).message).toBe("unknown block")
    expect(refusalOf(find({ topics: [null, null, null, null, null] })).message).toBe("exceed max topics")
  })
})

describe("a transaction", () => {
  test("is returned while it waits and after it is mined, but not after it is replaced", async () => {
    const { node, relayer: signer, mine } = openModelBench()
    const gas = { gasLimit: 60_000n, maxFeePerGas: 50_000_000n, maxPriorityFeePerGas: 1_000_000n }
    const first = await signer.signFill(0, gas)
    const raised = await signer.signFill(0, { ...gas, maxFeePerGas: 60_000_000n, maxPriorityFeePerGas: 2_000_000n })
    const find = (hash: Hex, lag = 0) => node.answer("eth_getTransactionByHash", [hash], lag)
    node.answer("eth_sendRawTransaction", [first.raw])
    expect(find(first.hash)).toMatchObject({ blockHash: null, nonce: "0x0", from: lower(relayer.address) })
    node.answer("eth_sendRawTransaction", [raised.raw])
    expect(find(first.hash)).toBeNull()
    mine(1)
    expect(find(raised.hash)).toMatchObject({ blockNumber: "0x1", gasPrice: toHex(12_000_000n) })
    expect(find(raised.hash, 1)).toMatchObject({ blockNumber: null })
    expect(node.answer("eth_getTransactionReceipt", [raised.hash], 1)).toBeNull()
    expect(node.answer("eth_getTransactionReceipt", [raised.hash])).toMatchObject({
      status: "0x1",
      gasUsed: "0x5208",
      effectiveGasPrice: toHex(12_000_000n),
      logs: [],
    })
  })

  test("that a node cannot read is refused, and so are unknown methods and parameters", () => {
    const { node } = openModelBench()
    expect(refusalOf(() => node.answer("eth_sendRawTransaction", ["0x02c0"])).code).toBe(-32_000)
    expect(refusalOf(() => node.answer("eth_sendRawTransaction", ["zz"])).code).toBe(-32_602)
    expect(refusalOf(() => node.answer("eth_subscribe", ["logs"])).code).toBe(-32_601)
    expect(refusalOf(() => node.answer("eth_getBalance", ["0x12", "latest"])).code).toBe(-32_602)
    expect(refusalOf(() => node.answer("eth_getBalance", [payer.address, "0x99"])).message).toBe("header not found")
    expect(refusalOf(() => node.answer("eth_getBalance", [payer.address, "soon"])).code).toBe(-32_602)
  })
})
