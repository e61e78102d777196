import { describe, expect, test } from "bun:test"
import type { Hex } from "viem"
import { BASE } from "../../../src/payments/networks/base.ts"
import { observePayment } from "../../../src/payments/observe.ts"
import { broadcast } from "../../../src/payments/relayer.ts"
import { RpcUnavailable, readAsset } from "../../../src/payments/rpc.ts"
import { openModelChain } from "../../../src/sandbox/chain/open-model-chain.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { GAS, openModelBench, watching } from "./model-bench.ts"
import { type Behaviour, FaultyNode, HONEST } from "./parts/faulty-node.ts"

const { payer, relayer } = DEV_ACCOUNTS

/** A clock that advances only when a test runs it. Pauses end in their order. */
function virtualTime() {
  let now = 0
  let pauses: { at: number; end: () => void }[] = []
  return {
    pause: (milliseconds: number) =>
      new Promise<void>((end) => {
        pauses.push({ at: now + milliseconds, end })
      }),
    /** Runs until no pause is left. Returns the elapsed time. */
    async run(): Promise<number> {
      for (;;) {
        for (let turn = 0; turn < 50; turn++) await Promise.resolve()
        const [next] = pauses.toSorted((a, b) => a.at - b.at)
        if (!next) return now
        pauses = pauses.filter((pause) => pause !== next)
        now = next.at
        next.end()
      }
    },
  }
}

function openFaulty(options: Parameters<typeof openModelBench>[0] = {}) {
  const bench = openModelBench(options)
  const time = virtualTime()
  const requests: string[] = []
  const faults = new Map<string, Behaviour>()
  const faulty = new FaultyNode(bench.node, {
    decide: ({ method }) => {
      requests.push(method)
      return faults.get(method) ?? faults.get("*") ?? HONEST
    },
    pause: time.pause,
    timeoutMs: 5_000,
  })
  const chain = openModelChain(BASE, faulty.request)
  return { ...bench, faulty: chain, faults, time, requests }
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: unknown) => (error instanceof RpcUnavailable ? "unavailable" : String(error)),
  )

describe("a node that does not answer", () => {
  test("in time is unavailable after the timeout, and a slow answer within the timeout counts", async () => {
    const { faulty, faults, time } = openFaulty()
    const ask = () => outcome(faulty.primary.block("latest"))
    for (const [behaviour, expected, passed] of [
      [{ delayMs: 1_000, answerDelayMs: 3_999 }, "answered", 4_999],
      [{ delayMs: 1_000, answerDelayMs: 4_000 }, "unavailable", 5_000],
      [{ delayMs: 9_000 }, "unavailable", 9_000],
      [{ connection: "silent" }, "unavailable", 5_000],
      [{ connection: "refused" }, "unavailable", 0],
      [{ connection: "answer_lost" }, "unavailable", 0],
      [{ error: { code: -32_005, message: "limit exceeded" } }, "unavailable", 0],
    ] as const) {
      faults.set("*", behaviour)
      const before = await time.run()
      const requests = ask()
      expect([await time.run()].map((now) => now - before)).toEqual([passed])
      expect(await requests).toBe(expected)
    }
  })

  test("may still take the transaction: if its answer is lost, or if it reads the request after the caller has left", async () => {
    const { model, faulty, faults, time, relayer: signer, mine } = openFaulty()
    faults.set("eth_sendRawTransaction", { connection: "answer_lost" })
    const first = await signer.signFill(0, GAS)
    expect(await broadcast(faulty.primary, first.raw)).toMatchObject({ kind: "lost" })
    faults.set("eth_sendRawTransaction", { delayMs: 6_000 })
    const second = await signer.signFill(1, GAS)
    const sending = broadcast(faulty.primary, second.raw)
    await time.run()
    expect(await sending).toMatchObject({ kind: "lost" })
    faults.set("eth_sendRawTransaction", { connection: "silent" })
    const third = await signer.signFill(2, GAS)
    const silent = broadcast(faulty.primary, third.raw)
    await time.run()
    expect(await silent).toMatchObject({ kind: "lost" })
    mine()
    expect([first, second, third].map(({ hash }) => model.receipt(hash) !== null)).toEqual([true, true, false])
  })

  test("with an error that every node uses reports that error", async () => {
    const { faulty, faults, relayer: signer } = openFaulty()
    faults.set("eth_sendRawTransaction", { error: { code: -32_000, message: "nonce too low" } })
    const { raw } = await signer.signFill(0, GAS)
    expect(await broadcast(faulty.primary, raw)).toEqual({ kind: "known", detail: "nonce_too_low" })
  })
})

test("a node that is behind never returns a receipt above its own head", async () => {
  const { faulty, faults, signed, settle } = openFaulty()
  const authorization = await signed()
  const hash = await settle(authorization)
  faults.set("*", { lagBlocks: 1 })
  expect((await faulty.primary.block("latest")).number).toBe(0n)
  expect(await observePayment(faulty, watching(authorization), [hash])).toMatchObject({ kind: "pending" })
  faults.clear()
  expect(await observePayment(faulty, watching(authorization), [hash])).toMatchObject({ kind: "settled" })
})

describe("a lying node", () => {
  test("answers about an authorization as its lie says", async () => {
    const { faulty, faults, signed, settle } = openFaulty()
    const [spent, open] = [await signed(), await signed()]
    await settle(spent)
    const states = () =>
      Promise.all(
        [spent, open].map(({ nonce }) =>
          readAsset(faulty.primary, BASE.asset, "authorizationState", [payer.address, nonce]),
        ),
      )
    expect(await states()).toEqual([true, false])
    for (const [authorizationState, expected] of [
      ["used", [true, true]],
      ["unused", [false, false]],
      ["inverted", [false, true]],
    ] as const) {
      faults.set("*", { lie: { authorizationState } })
      expect(await states()).toEqual([...expected])
      expect(await readAsset(faulty.primary, BASE.asset, "paused", [])).toBe(false)
    }
  })

  test("reports wrong transaction counts, balances and heads", async () => {
    const { faulty, faults, mine, settle, signed } = openFaulty({ safeLag: 2 })
    await settle(await signed())
    mine(5)
    const { primary } = faulty
    faults.set("*", { lie: { transactionCount: 3, usdcBalance: 7n, etherBalance: 8n, olderBlocks: 2 } })
    expect(await primary.nextNonce(relayer.address)).toBe(4)
    expect(await readAsset(primary, BASE.asset, "balanceOf", [payer.address])).toBe(7n)
    expect(await primary.etherBalance(relayer.address)).toBe(8n)
    expect([(await primary.block("latest")).number, (await primary.block("safe")).number]).toEqual([4n, 2n])
    expect((await primary.block(6n)).number).toBe(6n)
    faults.set("*", { lie: { transactionCount: -3 } })
    expect(await primary.nextNonce(relayer.address)).toBe(0)
  })

  test("refuses a transaction that it accepts into its pool, and acknowledges one that it drops", async () => {
    const { faulty, faults, model, relayer: signer, mine } = openFaulty()
    const taken = await signer.signFill(0, GAS)
    faults.set("*", { lie: { sending: "refuses_but_takes" } })
    expect(await broadcast(faulty.primary, taken.raw)).toMatchObject({ kind: "rejected" })
    const thrownAway = await signer.signFill(1, GAS)
    faults.set("*", { lie: { sending: "accepts_but_drops" } })
    expect(await broadcast(faulty.primary, thrownAway.raw)).toEqual({ kind: "accepted", detail: thrownAway.hash })
    mine()
    expect(model.receipt(taken.hash)).not.toBeNull()
    expect(model.receipt(thrownAway.hash)).toBeNull()
  })

  test("never forges receipts or logs, whatever else it lies about", async () => {
    const { node, faulty, faults, signed, settle } = openFaulty()
    const hash = await settle(await signed())
    faults.set("*", {
      lie: { authorizationState: "inverted", transactionCount: 9, usdcBalance: 0n, etherBalance: 0n, olderBlocks: 1 },
    })
    const told = await faulty.primary.ask("both", async (request) => [
      await request({ method: "eth_getTransactionReceipt", params: [hash] }),
      await request({ method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: "0x1" as Hex }] }),
    ])
    const honest = [
      node.answer("eth_getTransactionReceipt", [hash]),
      node.answer("eth_getLogs", [{ fromBlock: "0x0", toBlock: "0x1" }]),
    ]
    expect(told as unknown[]).toEqual(honest)
  })
})
