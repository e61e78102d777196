import { afterAll, afterEach, describe, expect } from "bun:test"
import { toHex } from "viem"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { Readiness } from "../../src/base/readiness.ts"
import { HandOverPace } from "../../src/payments/hand-over-pace.ts"
import type { HostedSettler } from "../../src/payments/hosted-settler.ts"
import { openHostedSettler } from "../../src/payments/hosted-settler.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import type { Payments } from "../../src/payments/payments.ts"
import { paymentReadiness } from "../../src/payments/readiness.ts"
import { openRelayer } from "../../src/payments/relayer.ts"
import { RelayerCount } from "../../src/payments/relayer-count.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { PRICE_ATOMIC } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, DEV_KEYS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const chain = await startChain()
const proxy = startRpcProxy(chain.url)
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

const node = openChain({ rpcUrl: proxy.url, network: BASE, timeoutMs: 2_000 })
const relayer = openRelayer(DEV_KEYS[1], 8453)
const payments: Payments = {
  environment: "live",
  chain: node,
  payTo: DEV_ACCOUNTS.payTo.address,
  settler: { kind: "self", relayer, count: new RelayerCount(node, relayer.address, realMachine.monotonic) },
  gasPolicy: { ethUsdMicros: 3_500_000_000n, priorityFeeMax: 50_000_000n },
  burnedGasDailyWei: 0n,
  settleWaitMs: 0,
}
const hosted: HostedSettler = {
  settle: () => Promise.reject(new Error("not asked")),
  answers: async () => ({ isThere: true }),
}
const pace = new HandOverPace()
const headMs = async () => (await chain.now()) * 1000

/** The codes of each further check, with the log's lines. */
async function opened(changes: Partial<Payments> = {}, now?: number, prices: readonly bigint[] = [PRICE_ATOMIC]) {
  const at = now ?? (await headMs())
  const machine = { ...realMachine, now: () => at }
  const logged: Record<string, unknown>[] = []
  const log = createLog("debug", (line) => logged.push(JSON.parse(line) as Record<string, unknown>), machine.now)
  const readiness = new Readiness({ machine, log })
  const ours = paymentReadiness({ ...payments, ...changes }, { machine, log, prices })
  readiness.add(...ours.checks)
  const look = async () => {
    await readiness.run()
    return readiness.reasons().map(({ code }) => code)
  }
  return { look, ours, logged }
}
const reasons = async (changes: Partial<Payments> = {}, now?: number) => (await opened(changes, now)).look()

describe("a payment", () => {
  test("can be settled when node, chain, clock and relayer are healthy", async () => {
    expect(await reasons()).toEqual([])
  })

  test("cannot be settled while the node is unavailable", async () => {
    proxy.fault("*", { reject: true })
    expect(await reasons()).toEqual(["CHAIN_UNAVAILABLE", "CHAIN_UNVERIFIED"])
  })

  test("cannot be settled in live with a clock more than thirty seconds off in either direction; in test it can", async () => {
    const head = await headMs()
    expect(await reasons({}, head + 30_000)).toEqual([])
    expect(await reasons({}, head + 31_000)).toEqual(["CLOCK_OFF"])
    expect(await reasons({}, head - 31_000)).toEqual(["CLOCK_OFF"])
    expect(await reasons({ environment: "test" }, head + 300_000)).toEqual([])
  })

  test("cannot be settled while the relayer cannot pay the gas; with a hosted settler its balance is not read", async () => {
    await chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect(await reasons()).toEqual(["RELAYER_UNFUNDED"])
    proxy.reset()
    expect(await reasons({ settler: { kind: "http", hosted, pace } })).toEqual([])
    expect(proxy.count("eth_getBalance")).toBe(0)
    await chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  })

  test("cannot be settled if its gas costs more than a quarter of the price; with a hosted settler any price works", async () => {
    const dear = { ...payments.gasPolicy, ethUsdMicros: payments.gasPolicy.ethUsdMicros * 1000n }
    const codes = async (changes: Partial<Payments>, prices: readonly bigint[]) => {
      const { look, ours } = await opened(changes, undefined, prices)
      return [await look(), ...prices.map((price) => ours.reasonsAgainst(price).map(({ code }) => code))]
    }
    expect(await codes({}, [PRICE_ATOMIC, 0n])).toEqual([[], [], ["GAS_TOO_EXPENSIVE"]])
    // Nothing can be sold in this state, so it is a reason of the whole service.
    expect(await codes({ gasPolicy: dear }, [PRICE_ATOMIC])).toEqual([["GAS_TOO_EXPENSIVE"], ["GAS_TOO_EXPENSIVE"]])
    expect(await codes({ gasPolicy: dear, settler: { kind: "http", hosted, pace } }, [PRICE_ATOMIC])).toEqual([[], []])
  })
})

describe("a node cannot be used for sales before its chain and token are verified", () => {
  test("a node of another chain, from the start or behind the same URL later, is named in the reasons and in the log", async () => {
    const { look, logged } = await opened()
    expect(await look()).toEqual([])
    proxy.fault("eth_chainId", { result: "0x1" })
    expect(await look()).toEqual(["WRONG_CHAIN"])
    expect(logged.find(({ event }) => event === "wrong_chain")).toMatchObject({
      level: "error",
      node: "primary",
      chain_id: 1,
    })
    proxy.reset()
    expect(await look()).toEqual([])
  })

  test("a node that was unavailable at the start and then serves another chain is never ready", async () => {
    proxy.fault("*", { reject: true })
    const { look } = await opened()
    expect(await look()).toEqual(["CHAIN_UNAVAILABLE", "CHAIN_UNVERIFIED"])
    proxy.reset()
    proxy.fault("eth_chainId", { result: "0x1" })
    expect(await look()).toEqual(["WRONG_CHAIN"])
  })

  test("a token with another domain is found at the first check, and again after the node was unavailable", async () => {
    const { look } = await opened()
    const other = { result: toHex(1, { size: 32 }), when: isSeparator }
    proxy.fault("eth_call", other)
    expect(await look()).toEqual(["WRONG_CHAIN"])
    proxy.reset()
    expect(await look()).toEqual([])
    const requests = proxy.calls.length
    expect(await look()).toEqual([])
    expect(proxy.calls.slice(requests).some(({ body }) => body.includes(SEPARATOR_SELECTOR))).toBe(false)
    proxy.fault("*", { reject: true })
    expect(await look()).toEqual(["CHAIN_UNAVAILABLE", "CHAIN_UNVERIFIED"])
    proxy.reset()
    proxy.fault("eth_call", other)
    expect(await look()).toEqual(["WRONG_CHAIN"])
  })

  test("the second node must respond, be on the chain and agree with the clock as well", async () => {
    const two = openChain({ rpcUrl: chain.url, secondRpcUrl: proxy.url, network: BASE, timeoutMs: 2_000 })
    const head = await headMs()
    const { look } = await opened({ chain: two }, head)
    expect(await look()).toEqual([])
    proxy.fault("eth_getBlockByNumber", { reject: true })
    expect(await look()).toEqual(["CHAIN_UNAVAILABLE", "CHAIN_UNVERIFIED"])
    proxy.reset()
    proxy.fault("eth_chainId", { result: "0x1" })
    expect(await look()).toEqual(["WRONG_CHAIN"])
  })
})

const SEPARATOR_SELECTOR = "0x3644e515"
const isSeparator = (params: readonly unknown[]) => JSON.stringify(params).includes(SEPARATOR_SELECTOR)

test.each([
  ["eth_getBlockByNumber", "0x"],
  ["eth_getBlockByNumber", { number: "zz" }],
  ["eth_chainId", "garbage"],
  ["eth_getBalance", { a: 1 }],
  ["eth_call", "garbage"],
  ["*", null],
])(
  "a node that answers %s with nonsense (%p) stops the sale, and the next good check ends this",
  async (method, result) => {
    const { look } = await opened()
    expect(await look()).toEqual([])
    proxy.fault(method, { result })
    expect(await look()).not.toEqual([])
    proxy.reset()
    expect(await look()).toEqual([])
  },
)

describe("a hosted facilitator must respond", () => {
  test.each([200, 404, 500])("with status %d it counts as ready", async (status) => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("x", { status }) })
    const settler = openHostedSettler({ url: server.url.origin, timeoutMs: 1_000 })
    expect(await reasons({ settler: { kind: "http", hosted: settler, pace } })).toEqual([])
    await server.stop(true)
    expect(await reasons({ settler: { kind: "http", hosted: settler, pace } })).toEqual(["FACILITATOR_UNAVAILABLE"])
  })
})
