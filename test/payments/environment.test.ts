import { describe, expect, test } from "bun:test"
import { isLoopbackUrl, isOneHost, isTrustedTransport, urlProblems } from "../../src/payments/environment.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { BASE_SEPOLIA } from "../../src/payments/networks/base-sepolia.ts"
import { isSingleNode, singleNodeReasons } from "../../src/payments/single-node.ts"

const LOCAL = "http://127.0.0.1:8545"
const REMOTE = "https://mainnet.example"

describe("the environment decides which endpoints payments may use", () => {
  test("a local node is allowed in test and in live", () => {
    for (const mode of ["test", "live"] as const) expect(urlProblems({ mode, rpcUrl: LOCAL }, BASE)).toEqual([])
  })

  test("test payments on chain 8453 never reach a node outside this machine", () => {
    const expected = ["test payments on chain 8453 need a loopback RPC"]
    expect(urlProblems({ mode: "test", rpcUrl: REMOTE }, BASE)).toEqual(expected)
    expect(urlProblems({ mode: "test", rpcUrl: LOCAL, secondRpcUrl: REMOTE }, BASE)).toEqual(expected)
  })

  test("live payments settle on no test network", () => {
    const problems = urlProblems({ mode: "live", rpcUrl: LOCAL }, BASE_SEPOLIA)
    expect(problems).toEqual(["live payments do not settle on chain 84532"])
  })

  test("an unencrypted connection that leaves the machine is a problem", () => {
    const problems = urlProblems({ mode: "live", rpcUrl: "http://node.example" }, BASE)
    expect(problems).toEqual(["an RPC URL is neither https nor loopback"])
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
])("the address %s is on this machine: %p", (url, expected) => {
  expect(isLoopbackUrl(url)).toBe(expected)
  expect(isTrustedTransport(url)).toBe(expected)
})

test.each([
  ["https://a.example/one", "https://a.example/two", true],
  ["https://a.example:8545", "https://a.example:8546", true],
  ["https://A.EXAMPLE", "https://a.example.", true],
  ["https://key@a.example", "https://a.example", true],
  ["http://127.0.0.1:1", "http://localhost:2", true],
  ["https://a.example", "https://b.example", false],
  ["https://a.example", "https://eth.a.example", false],
  ["http://127.0.0.1:1", "https://a.example", false],
])("%s and %s belong to one host: %p", (a, b, expected) => {
  expect(isOneHost(a, b)).toBe(expected)
})

describe("live payments that rely on one host need the operator's acceptance", () => {
  test.each([
    ["no second node", null, true],
    ["a second node of the same host", "https://mainnet.example/other", true],
    ["a second node of another host", "https://other.example", false],
  ])("%s", (_, secondRpcUrl, single) => {
    const live = { mode: "live", rpcUrl: REMOTE, secondRpcUrl } as const
    expect(isSingleNode(live)).toBe(single)
    const codes = (singleNodeAcceptedBy: string | null) =>
      singleNodeReasons({ ...live, singleNodeAcceptedBy }).map(({ code }) => code)
    expect(codes(null)).toEqual(single ? ["SINGLE_NODE"] : [])
    expect(codes("J. Doe, risk committee")).toEqual([])
    const inTest = { ...live, mode: "test" } as const
    expect(singleNodeReasons({ ...inTest, singleNodeAcceptedBy: null })).toEqual([])
  })
})
