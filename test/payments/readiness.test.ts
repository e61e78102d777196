import { afterAll, afterEach, describe, expect, test } from "bun:test"
import { realMachine } from "../../src/machine.ts"
import { HandOverPace } from "../../src/payments/hand-over-pace.ts"
import type { Payments } from "../../src/payments/payments.ts"
import { chainReadiness } from "../../src/payments/readiness.ts"
import { openRelayer } from "../../src/payments/relayer.ts"
import { RelayerCount } from "../../src/payments/relayer-count.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { USDC_BASE } from "../../src/payments/usdc.ts"
import { PRICE_ATOMIC } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, DEV_KEYS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"

const chain = await startChain()
const proxy = startRpcProxy(chain.url)
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

const opened = openChain({ rpcUrl: proxy.url, asset: USDC_BASE, timeoutMs: 2_000 })
const relayer = openRelayer(DEV_KEYS[1], 8453)
const payments: Payments = {
  environment: "live",
  chain: opened,
  payTo: DEV_ACCOUNTS.payTo.address,
  quoteKey: new Uint8Array(32),
  settler: { kind: "self", relayer, count: new RelayerCount(opened, relayer.address, realMachine.monotonic) },
  gasPolicy: { ethUsdMicros: 3_500_000_000n, priorityFeeMax: 50_000_000n },
  burnedGasDailyWei: 0n,
  settleWaitMs: 0,
}
const headMs = async () => (await chain.now()) * 1000
const ready = async (changes: Partial<Payments> = {}, now?: number) => {
  const readiness = await chainReadiness({ ...payments, ...changes }, now ?? (await headMs()))
  return readiness.ready ? "READY" : readiness.code
}

describe("chainReadiness", () => {
  test("is ready when a plain transfer could be settled now", async () => {
    expect(await ready()).toBe("READY")
  })

  test("says when the node is away", async () => {
    proxy.fault("eth_getBlockByNumber", { refuse: true })
    expect(await ready()).toBe("CHAIN_UNAVAILABLE")
  })

  test("live: thirty seconds between clock and head pass, more do not, on either side; a test's clock may differ", async () => {
    const head = await headMs()
    expect(await ready({}, head + 30_000)).toBe("READY")
    expect(await ready({}, head + 30_001)).toBe("CLOCK_OFF")
    expect(await ready({}, head - 30_001)).toBe("CLOCK_OFF")
    expect(await ready({ environment: "test" }, head + 300_000)).toBe("READY")
  })

  test("says when the relayer cannot pay the gas, and asks no relayer's balance with a hosted settler", async () => {
    await chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect(await ready()).toBe("RELAYER_UNFUNDED")
    proxy.reset()
    const hosted = {
      kind: "http",
      hosted: { settle: () => Promise.reject(new Error("not asked")) },
      pace: new HandOverPace(),
    } as const
    expect(await ready({ settler: hosted })).toBe("READY")
    expect(proxy.count("eth_getBalance")).toBe(0)
    await chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  })

  test("says the least price of which a quarter pays for a settlement; none with a hosted settler", async () => {
    const priceMin = async (changes: Partial<Payments> = {}) => {
      const readiness = await chainReadiness({ ...payments, ...changes }, await headMs())
      return readiness.ready ? readiness.priceMinAtomic : null
    }
    const least = await priceMin()
    expect(least).toBeGreaterThan(0n)
    expect(least).toBeLessThan(PRICE_ATOMIC)
    const dear = { ...payments.gasPolicy, ethUsdMicros: payments.gasPolicy.ethUsdMicros * 1000n }
    expect(await priceMin({ gasPolicy: dear })).toBeGreaterThan(PRICE_ATOMIC)
    const hosted = {
      kind: "http",
      hosted: { settle: () => Promise.reject(new Error("not asked")) },
      pace: new HandOverPace(),
    } as const
    expect(await priceMin({ settler: hosted, gasPolicy: dear })).toBe(0n)
  })
})
