import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test"
import { toHex } from "viem"
import { BASE } from "../../src/payments/networks/base.ts"
import { RelayerCount, SKIPPED_NONCES_MAX, safeCount } from "../../src/payments/relayer-count.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"

const { address } = DEV_ACCOUNTS.relayer
const node = await startChain()
const proxies = [startRpcProxy(node.url), startRpcProxy(node.url)] as const
const [first, second] = proxies
const one = openChain({ rpcUrl: first.url, network: BASE, timeoutMs: 1_000 })
const both = openChain({ rpcUrl: first.url, secondRpcUrl: second.url, network: BASE, timeoutMs: 1_000 })
afterEach(() => {
  for (const proxy of proxies) proxy.reset()
})
afterAll(() => Promise.all([first.stop(), second.stop(), node.stop()]))

const says = (proxy: (typeof proxies)[number], count: number) =>
  proxy.fault("eth_getTransactionCount", { result: toHex(count) })

let now: number
beforeEach(() => {
  now = 1_000
})
const counting = (chain: typeof one) => new RelayerCount(chain, address, () => now)

describe("one node", () => {
  test("is believed immediately up to the maximum of nonces that may be skipped without confirmation", async () => {
    says(first, 10 + SKIPPED_NONCES_MAX)
    expect(await counting(one).taken(10)).toBe(10 + SKIPPED_NONCES_MAX)
    says(first, 11 + SKIPPED_NONCES_MAX)
    expect(await counting(one).taken(10)).toBeNull()
  })

  test("is believed about a larger count after it gave no lower one for a minute, and then its lowest count is used", async () => {
    const count = counting(one)
    for (const said of [900, 902, 901]) {
      says(first, said)
      expect(await count.mined()).toBe(said)
      expect(await count.taken(10)).toBeNull()
      now += 29_000
    }
    expect(await count.taken(10)).toBe(901)
  })

  test("is not believed while one response of the last minute was close to the service's own count", async () => {
    const count = counting(one)
    says(first, 900)
    await count.mined()
    now += 40_000
    says(first, 11)
    await count.mined()
    says(first, 900)
    now += 40_000
    expect(await count.taken(10)).toBeNull()
    now += 61_000
    await count.mined()
    expect(await count.taken(10)).toBe(900)
  })
})

describe("two nodes", () => {
  test("confirm a large step immediately, by the lower count", async () => {
    says(first, 900)
    says(second, 890)
    expect(await counting(both).taken(10)).toBe(890)
  })

  test("count as one node if one does not respond", async () => {
    says(first, 900)
    second.fault("*", { reject: true })
    expect(await counting(both).taken(10)).toBeNull()
    expect(await safeCount(both, address)).toBeNull()
  })
})
