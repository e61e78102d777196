import { afterAll, afterEach, describe, expect, test } from "bun:test"
import { toHex } from "viem"
import { assertEnvironment, isLoopbackUrl, isTrustedTransport } from "../../src/payments/environment.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { USDC_BASE, USDC_BASE_SEPOLIA } from "../../src/payments/usdc.ts"
import { startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"

const chain = await startChain()
const proxy = startRpcProxy(chain.url)
const rpcUrl = proxy.url
const opened = openChain({ rpcUrl, asset: USDC_BASE, timeoutMs: 5_000 })
const now = await chain.now()
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

describe("assertEnvironment", () => {
  test("a local Base with our token has no problem, in test and in live", async () => {
    expect(await assertEnvironment({ mode: "test", rpcUrl }, opened, now)).toEqual([])
    expect(await assertEnvironment({ mode: "live", rpcUrl }, opened, now + 30)).toEqual([])
  })

  test("a clock more than 30 seconds off stops live only", async () => {
    for (const clock of [now + 31, now - 31]) {
      expect(await assertEnvironment({ mode: "live", rpcUrl }, opened, clock)).toEqual([
        "primary node: chain head and clock are 31 s apart",
      ])
      expect(await assertEnvironment({ mode: "test", rpcUrl }, opened, clock)).toEqual([])
    }
  })

  test("test payments on chain 8453 never reach a node outside this machine", async () => {
    const remote = { mode: "test", rpcUrl: "https://mainnet.example" } as const
    expect(await assertEnvironment(remote, opened, now)).toEqual(["test payments on chain 8453 need a loopback RPC"])
    const second = { mode: "test", rpcUrl, secondRpcUrl: "https://mainnet.example" } as const
    expect(await assertEnvironment(second, opened, now)).toEqual(["test payments on chain 8453 need a loopback RPC"])
  })

  test("live settles on chain 8453 only", async () => {
    const sepolia = openChain({ rpcUrl, asset: USDC_BASE_SEPOLIA, timeoutMs: 5_000 })
    expect(await assertEnvironment({ mode: "live", rpcUrl }, sepolia, now)).toEqual([
      "live payments settle in USDC on chain 8453 only",
      "primary node is on chain 8453, not 84532",
    ])
  })

  test("a node on another chain, a token with another domain and a silent node are named", async () => {
    proxy.fault("eth_chainId", { result: "0x1" })
    expect(await assertEnvironment({ mode: "live", rpcUrl }, opened, now)).toEqual([
      "primary node is on chain 1, not 8453",
    ])
    proxy.reset()
    proxy.fault("eth_call", { result: toHex(1, { size: 32 }) })
    expect(await assertEnvironment({ mode: "live", rpcUrl }, opened, now)).toEqual([
      "primary node: the asset has another DOMAIN_SEPARATOR",
    ])
    proxy.reset()
    proxy.fault("*", { refuse: true })
    expect(await assertEnvironment({ mode: "live", rpcUrl }, opened, now)).toEqual([
      "primary node did not answer eth_chainId",
    ])
  })

  test("the second node is asked as well", async () => {
    const two = openChain({ rpcUrl: chain.url, secondRpcUrl: proxy.url, asset: USDC_BASE, timeoutMs: 5_000 })
    proxy.fault("eth_chainId", { result: "0x1" })
    const config = { mode: "live", rpcUrl: chain.url, secondRpcUrl: proxy.url } as const
    expect(await assertEnvironment(config, two, now)).toEqual(["second node is on chain 1, not 8453"])
  })

  test("a plain connection that leaves the machine is a problem", async () => {
    const plain = { mode: "live", rpcUrl: "http://node.example" } as const
    expect(await assertEnvironment(plain, opened, now)).toEqual(["an RPC URL is neither https nor loopback"])
  })
})

test.each([
  ["http://127.0.0.1:8545", true],
  ["http://127.9.9.9", true],
  ["http://localhost:1", true],
  ["http://[::1]:8545", true],
  ["http://127.0.0.1.example.com", false],
  ["http://localhost.example.com", false],
  ["http://user@10.0.0.1", false],
  ["http://127.0.0.1@mainnet.example", false],
])("%s stays on this machine: %p", (url, expected) => {
  expect(isLoopbackUrl(url)).toBe(expected)
  expect(isTrustedTransport(url)).toBe(expected)
})
