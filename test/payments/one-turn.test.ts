/** Answers to questions of one turn may be of different blocks, and one may fail. What is concluded from them depends on neither. */
import { describe, expect, test } from "bun:test"
import { type Hex, toFunctionSelector } from "viem"
import { BASE } from "../../src/payments/networks/base.ts"
import { observePayment } from "../../src/payments/observe.ts"
import type { SettleStep } from "../../src/payments/settle.ts"
import { verifyPayment } from "../../src/payments/verify-payment.ts"
import { openModelChain } from "../../src/sandbox/chain/open-model-chain.ts"
import { openBench, refusedFor, theAttempt } from "../delivery/selling-bench.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { freshRequest, signedHeader } from "../fixtures/test-server.ts"
import { openModelBench, watching } from "../sandbox/chain/model-bench.ts"

const { payer, relayer, stranger } = DEV_ACCOUNTS
type Bench = ReturnType<typeof openModelBench>
type Answer = (method: string, params: readonly unknown[]) => unknown

/** The bench's chain, where `answer` answers first and the node answers what gets undefined. */
const chainWith = ({ node }: Bench, answer: Answer) =>
  openModelChain(BASE, async ({ method, params = [] }) => answer(method, params) ?? node.answer(method, params))

function unanswered(): never {
  throw new Error("no answer")
}

describe("a verification", () => {
  test("asks nothing about the state for a payment that its payer did not sign", async () => {
    const bench = openModelBench()
    const methods: string[] = []
    const chain = chainWith(bench, (method) => void methods.push(method))
    const forged = await bench.signed({ from: payer.address }, stranger)
    expect(await verifyPayment(chain, forged, bench.terms, relayer.address)).toMatchObject({
      reason: "invalid_exact_evm_signature",
    })
    expect(methods).toEqual(["eth_getCode", "eth_getBlockByNumber"])
  })

  test("refuses a payment outside its window, whether or not the state is answered", async () => {
    const bench = openModelBench()
    const early = await bench.signed({ validAfter: bench.now() + 61 })
    const chain = chainWith(bench, (method) => (method === "eth_call" ? unanswered() : undefined))
    expect(await verifyPayment(chain, early, bench.terms, relayer.address)).toMatchObject({
      reason: "invalid_exact_evm_payload_authorization_valid_after",
      headSeconds: bench.now(),
    })
  })
})

test("a verification does not say that the payer has too little money when the transfer itself took it", async () => {
  const bench = openModelBench()
  const authorization = await bench.signed()
  bench.model.setUsdc(payer.address, authorization.value)
  let moved: Promise<Hex> | null = null
  const chain = openModelChain(BASE, async ({ method, params = [] }) => {
    const [call] = params as readonly { data?: Hex }[]
    if (method === "eth_call" && call?.data?.startsWith(toFunctionSelector("balanceOf(address)"))) {
      moved ??= bench.settle(authorization)
      await moved
    }
    return bench.node.answer(method, params)
  })
  expect(await verifyPayment(chain, authorization, bench.terms, relayer.address)).toMatchObject({
    reason: "nonce_already_used",
  })
})

describe("a poll", () => {
  const isHead = (method: string, [which]: readonly unknown[]) =>
    method === "eth_getBlockByNumber" && which === "latest"

  test("with a head before the block of the receipt leaves the payment pending, and the next one settles it", async () => {
    const bench = openModelBench()
    const authorization = await bench.signed()
    const hash = await bench.settle(authorization)
    const late = chainWith(bench, (method, params) =>
      isHead(method, params) ? bench.node.answer(method, params, 1) : undefined,
    )
    expect(await observePayment(late, watching(authorization), [hash])).toMatchObject({
      kind: "pending",
      authorization: "UNUSED",
      sendable: false,
    })
    expect(await observePayment(bench.chain, watching(authorization), [hash])).toMatchObject({ kind: "settled" })
  })

  test("settles nothing by a block that was replaced while the safe block passed it", async () => {
    const bench = openModelBench({ safeLag: 3 })
    const authorization = await bench.signed()
    const hash = await bench.settle(authorization)
    const before = new Map<string, unknown>()
    const keep = (method: string, params: readonly unknown[]) => before.set(method, bench.node.answer(method, params))
    keep("eth_getTransactionReceipt", [hash])
    keep("eth_getBlockByNumber", ["latest", false])
    bench.model.reorganize(1, () => false)
    bench.mine(4)
    const { number } = bench.model.safe
    const proof = before.get("eth_getTransactionReceipt") as { blockNumber: Hex }
    expect(number).toBe(Number(proof.blockNumber))
    const torn = chainWith(bench, (method, params) =>
      isHead(method, params) || method === "eth_getTransactionReceipt" ? before.get(method) : undefined,
    )
    expect((await observePayment(torn, watching(authorization), [hash])).kind).not.toBe("settled")
  })
})

test("an authorization that became too old is refused, whether or not the node answers about gas", async () => {
  await using bench = await openBench()
  const selling = await bench.server({
    trace: async (step: SettleStep) => {
      if (step !== "computed") return
      await bench.chain.increaseTime(285)
      await bench.chain.mine(1)
      for (const method of ["eth_maxPriorityFeePerGas", "eth_getBalance", "eth_getTransactionCount"]) {
        bench.proxy.fault(method, { reject: true })
      }
    },
  })
  const request = freshRequest()
  const answer = await selling.post(request, await signedHeader(selling, request))
  expect([answer.status, refusedFor(answer)]).toEqual([402, "authorization_too_close_to_expiry"])
  expect(await theAttempt(selling, request)).toMatchObject({ state: "RELEASED", reason: "AUTHORIZATION_TOO_OLD" })
})
