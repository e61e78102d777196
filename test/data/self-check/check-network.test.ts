/** The lines of `bizauth check` about nodes and relayer, on a real chain behind a proxy with faults. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as check } from "../../../src/cli/check.ts"
import { SECOND } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { Line } from "../../../src/data/self-check/line.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS, startChain } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { type RpcProxy, startRpcProxy } from "../../fixtures/rpc-proxy.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const folder = freshDirectory()
const data = join(folder.path, "data")
let chain: Chain
let other: RpcProxy
let proxy: RpcProxy

beforeAll(async () => {
  chain = await startChain()
  proxy = startRpcProxy(chain.url)
  other = startRpcProxy(chain.url)
  await createDataDirectory(data, "test", realMachine)
  writeFileSync(join(folder.path, "relayer.key"), DEV_KEYS[1] ?? "", { mode: 0o600 })
})
afterAll(async () => {
  await proxy.stop()
  await other.stop()
  await chain.stop()
  folder[Symbol.dispose]()
})
beforeEach(async () => {
  proxy.reset()
  other.reset()
  await chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 18n)
  await chain.mine(1)
})

const PAYING = () => [
  ["--payments", "test"],
  ["--rpc-url", proxy.url],
  ["--pay-to", DEV_ACCOUNTS.payTo.address],
  ["--relayer-key-file", join(folder.path, "relayer.key")],
  ["--eth-usd", "1000"],
]

async function network(...flags: string[]): Promise<Record<string, [Line["state"], string]>> {
  const ran = await runCommand(check, ["--data", data, "--json", ...PAYING().flat(), ...flags])
  if (ran.err !== "") throw new Error(ran.err)
  const lines = (JSON.parse(ran.out).lines as Line[]).filter(({ area }) => area === "network")
  return Object.fromEntries(lines.map(({ name, state, what }) => [name, [state, what]]))
}
const second = () => ["--rpc-url-second", other.url]

test("two good nodes and a relayer with ether have no problem", async () => {
  const found = await network(...second())
  expect(Object.fromEntries(Object.entries(found).map(([name, [state]]) => [name, state]))).toEqual({
    "primary node": "OK",
    "second node": "OK",
    relayer: "OK",
    "primary lag": "OK",
    "second lag": "OK",
    agreement: "OK",
    "relayer balance": "OK",
  })
  expect(found["relayer balance"]?.[1]).toMatch(
    / has 1000000000000000000 wei: at least \d+ payments at the present gas price$/,
  )
})

test("offline nothing is asked", async () => {
  expect(await network("--offline")).toEqual({ payments: ["NOT_CHECKED", expect.any(String)] })
  expect(proxy.calls).toEqual([])
})

test("one node alone is a note", async () => {
  expect((await network()).agreement).toEqual(["NOTE", "one node"])
})

test("a node that is away", async () => {
  proxy.fault("*", { reject: true })
  const found = await network(...second())
  expect(found["primary node"]).toEqual(["PROBLEM", expect.stringContaining("CHAIN_UNAVAILABLE")])
  for (const name of ["primary lag", "agreement", "relayer balance"])
    expect([name, found[name]?.[0]]).toEqual([name, "PROBLEM"])
  expect(found["second node"]?.[0]).toBe("OK")
})

test("a node that never answers is given up after some seconds", async () => {
  proxy.fault("*", { hold: Bun.sleep(15_000) })
  const begunAt = performance.now()
  const found = await network()
  expect(performance.now() - begunAt).toBeLessThan(14 * SECOND)
  expect(found["primary node"]?.[0]).toBe("PROBLEM")
  expect(found["relayer balance"]?.[0]).toBe("PROBLEM")
})

test("a node of another chain", async () => {
  proxy.fault("eth_chainId", { result: "0x1" })
  expect((await network())["primary node"]).toEqual(["PROBLEM", expect.stringContaining("WRONG_CHAIN")])
})

test("a node that is behind", async () => {
  const block = await chain.publicClient.getBlock()
  proxy.fault("eth_getBlockByNumber", {
    when: ([tag]) => tag === "latest",
    result: {
      number: `0x${block.number.toString(16)}`,
      hash: block.hash,
      timestamp: `0x${(block.timestamp - 600n).toString(16)}`,
      baseFeePerGas: "0x1",
      transactions: [],
    },
  })
  expect((await network())["primary lag"]).toEqual(["PROBLEM", expect.stringMatching(/, 6\d\d s old$/)])
})

test("two nodes that name different blocks", async () => {
  const safe = await chain.publicClient.getBlock({ blockTag: "safe" })
  other.fault("eth_getBlockByNumber", {
    result: {
      number: `0x${safe.number.toString(16)}`,
      hash: `0x${"ab".repeat(32)}`,
      timestamp: `0x${safe.timestamp.toString(16)}`,
      baseFeePerGas: "0x1",
      transactions: [],
    },
  })
  expect((await network(...second())).agreement).toEqual(["PROBLEM", expect.stringContaining("differs")])
})

test("a relayer with little ether, and one with none", async () => {
  await chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 14n)
  expect((await network())["relayer balance"]).toEqual([
    "NOTE",
    expect.stringContaining("payments at the present gas price"),
  ])
  await chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 1n)
  const found = await network()
  expect(found.relayer).toEqual(["PROBLEM", expect.stringContaining("RELAYER_UNFUNDED")])
  expect(found["relayer balance"]).toEqual(["PROBLEM", expect.stringContaining("not enough for one payment")])
})

test("a facilitator that does not answer", async () => {
  const found = await network("--settler", "http", "--facilitator-url", "http://127.0.0.1:9")
  expect(found.facilitator).toEqual(["PROBLEM", expect.stringContaining("FACILITATOR_UNAVAILABLE")])
})
