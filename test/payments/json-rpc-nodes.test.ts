/** Batches to real nodes, and to two nodes that differ. */
import { afterAll, afterEach, expect, test } from "bun:test"
import { BASE } from "../../src/payments/networks/base.ts"
import { observePayment } from "../../src/payments/observe.ts"
import { broadcast, openRelayer } from "../../src/payments/relayer.ts"
import { openChain, readNumber, readQuantity } from "../../src/payments/rpc.ts"
import { DEV_ACCOUNTS, DEV_KEYS, startChain } from "../fixtures/chain.ts"
import { type Answer, answerTo, type Body, balances, inBatch, outcome, startNode } from "./answering-node.ts"

const TIMEOUT_MS = 20_000
const [first, second] = [startNode(), startNode()]
const chain = await startChain()
const forward = (body: Body) =>
  fetch(chain.url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } })
/** Anvil, behind the node that notes what it was sent. */
const real = openChain({ rpcUrl: first.url, network: BASE, timeoutMs: TIMEOUT_MS }).primary
afterEach(() => {
  first.reset()
  second.reset()
})
afterAll(() => Promise.all([first.stop(), second.stop(), chain.stop()]))

test("two nodes that differ get the same questions, and neither answers for the other", async () => {
  const { primary, second: other } = openChain({
    rpcUrl: first.url,
    secondRpcUrl: second.url,
    network: BASE,
    timeoutMs: TIMEOUT_MS,
  })
  if (!other) throw new TypeError("no second node")
  second.respond = (body) => Response.json([body].flat().map((one) => ({ ...answerTo(one), result: "0xff" })))
  const both = () => Promise.all([balances(primary, 1, 2, 3), balances(other, 1, 2, 3)])
  expect(await both()).toEqual([
    [1n, 2n, 3n],
    [255n, 255n, 255n],
  ])
  first.respond = inBatch(([a, b]) => [b, a])
  expect(await both()).toEqual([
    [1n, 2n, "unavailable"],
    [255n, 255n, 255n],
  ])
  second.respond = inBatch(() => new Response("no", { status: 400 }))
  expect(await both()).toEqual([
    [1n, 2n, "unavailable"],
    [1n, 2n, 3n],
  ])
  first.reset()
  await both()
  expect(first.batches).toHaveLength(1)
})

test("an outcome of a payment is unavailable while one of two nodes breaks its batches", async () => {
  const opened = openChain({ rpcUrl: chain.url, secondRpcUrl: first.url, network: BASE, timeoutMs: TIMEOUT_MS })
  const now = await chain.now()
  const watched = {
    payer: DEV_ACCOUNTS.payer.address,
    nonce: `0x${"5".repeat(64)}`,
    payTo: DEV_ACCOUNTS.payTo.address,
    value: 1n,
    validAfter: 0,
    // It ended unused, so both nodes would say that it failed.
    validBefore: now - 1,
    maxTimeoutSeconds: 60,
    alreadyUsed: false,
  } as const
  await chain.mine(3)
  first.respond = forward
  expect(await observePayment(opened, watched)).toMatchObject({ kind: "failed" })
  for (const broken of [
    (answers: unknown[]) => answers.slice(1),
    (answers: unknown[]) => answers.map((answer) => ({ ...(answer as Answer), id: 0 })),
  ]) {
    first.respond = async (body) => {
      const answers: unknown = await (await forward(body)).json()
      return Response.json(Array.isArray(answers) ? broken(answers) : answers)
    }
    expect(await observePayment(opened, watched)).toMatchObject({ kind: "unavailable" })
  }
  first.respond = async (body) => {
    const answers: unknown = await (await forward(body)).json()
    return Response.json(Array.isArray(answers) ? answers.toReversed() : answers)
  }
  expect(await observePayment(opened, watched)).toMatchObject({ kind: "failed" })
})

test("a real node answers a batch as it answers each of its questions", async () => {
  await chain.mint(DEV_ACCOUNTS.payer.address, 7n)
  first.respond = forward
  const { hash } = await real.block("latest")
  const { asset } = BASE
  const reverting = { to: asset.address, data: "0xdeadbeef", from: DEV_ACCOUNTS.payer.address } as const
  const decimals = { to: asset.address, data: "0x313ce567" } as const
  const fees = { gas: 100_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const questions: readonly (() => Promise<unknown>)[] = [
    () => real.block("latest"),
    () => real.block("safe"),
    () => real.block(0n),
    () => real.block(10n ** 12n),
    () => real.code(asset.address),
    () => real.code(DEV_ACCOUNTS.payer.address),
    () => real.etherBalance(DEV_ACCOUNTS.relayer.address),
    () => real.nextNonce(DEV_ACCOUNTS.relayer.address),
    () => real.call(decimals, hash),
    () => real.call({ ...decimals, ...fees, from: DEV_ACCOUNTS.relayer.address }),
    () => real.call(reverting),
    () => real.call({ to: DEV_ACCOUNTS.stranger.address, data: "0x" }),
    () => real.estimateGas({ ...decimals, from: DEV_ACCOUNTS.payer.address }),
    () => real.estimateGas({ ...reverting, gas: 1_000_000n }),
    () => real.query(readNumber, "eth_chainId"),
    () => real.query(readQuantity, "eth_maxPriorityFeePerGas"),
  ]
  const one: unknown[] = []
  for (const question of questions) one.push(await outcome(question()))
  expect(one.filter((answer) => answer === "unavailable")).toHaveLength(1)
  expect(one.filter((answer) => answer === "failed")).toHaveLength(2)
  first.bodies.length = 0
  expect(await Promise.all(questions.map((question) => outcome(question())))).toEqual(one)
  expect(first.bodies).toHaveLength(1)
  expect(first.batches[0]).toHaveLength(questions.length)
})

test("the same bytes sent twice in one turn are one transaction", async () => {
  first.respond = forward
  const relayer = openRelayer(DEV_KEYS[1], BASE.asset.chainId)
  const gas = { gasLimit: 60_000n, maxFeePerGas: 50_000_000n, maxPriorityFeePerGas: 1_000_000n }
  const nonce = await real.nextNonce(relayer.address)
  const [one, other] = [await relayer.signFill(nonce, gas), await relayer.signFill(nonce + 1, gas)]
  const sent = await Promise.all([one, one, other].map(({ raw }) => broadcast(real, raw)))
  expect(sent.map(({ detail }) => detail)).toEqual([one.hash, one.hash, other.hash])
  expect(first.bodies.flat().filter(({ method }) => method === "eth_sendRawTransaction")).toHaveLength(2)
  await Promise.all([one, other].map(({ hash }) => chain.receiptOf(hash)))
  expect(await real.nextNonce(relayer.address)).toBe(nonce + 2)
})
