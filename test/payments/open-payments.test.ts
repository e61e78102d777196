import { afterAll, afterEach, describe, expect, test } from "bun:test"
import { realMachine } from "../../src/machine.ts"
import { openPayments, type PaymentSettings } from "../../src/payments/open-payments.ts"
import { DEV_ACCOUNTS, DEV_KEYS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"

const chain = await startChain()
const proxy = startRpcProxy(chain.url)
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

const settings: PaymentSettings = {
  mode: "test",
  rpcUrl: proxy.url,
  secondRpcUrl: "",
  payTo: DEV_ACCOUNTS.payTo.address.toLowerCase(),
  settler: "self",
  relayerKey: `${DEV_KEYS[1]}\n`,
  facilitatorUrl: "",
  ethUsd: "3500",
  burnedGasDailyWei: "1000",
  settleWaitMs: "5000",
  quoteKey: new Uint8Array(32),
}
const open = (changes: Partial<PaymentSettings> = {}) => openPayments({ ...settings, ...changes }, realMachine)
async function problems(changes: Partial<PaymentSettings>): Promise<string> {
  const opened = await open(changes)
  return opened.ok ? "opened" : opened.problems.join("; ")
}

describe("openPayments", () => {
  test("opens with whole settings; the payee is stored with its checksum", async () => {
    const opened = await open()
    expect(opened.ok && [opened.payments.payTo, opened.payments.settler.kind, opened.warnings]).toEqual([
      DEV_ACCOUNTS.payTo.address,
      "self",
      [],
    ])
  })

  test("names everything that is missing at once", async () => {
    const said = await problems({ rpcUrl: "", payTo: "0x12", relayerKey: null })
    for (const name of ["rpc_url", "pay_to", "relayer_key_file"]) expect(said).toContain(name)
  })

  test.each([
    ["a relayer key that is none", { relayerKey: "0x1234" }, "relayer_key_file"],
    ["a payee that is the relayer", { payTo: DEV_ACCOUNTS.relayer.address }, "relayer's own address"],
    ["a hosted settler without a URL", { settler: "http", facilitatorUrl: "" }, "facilitator_url"],
    ["a hosted settler over plain http elsewhere", { settler: "http", facilitatorUrl: "http://x.example" }, "https"],
    ["a test on a remote node", { rpcUrl: "https://192.0.2.1" }, "loopback"],
  ] as [string, Partial<PaymentSettings>, string][])("refuses %s", async (_, changes, expected) => {
    const said = await problems(changes)
    expect(said).toContain(expected)
    expect(said).not.toContain("0x1234")
  })

  test("refuses a node of another chain", async () => {
    proxy.fault("eth_chainId", { result: "0x1" })
    expect(await problems({})).toContain("on chain 1, not 8453")
  })

  test("opens with a warning while the node is away: it may come back", async () => {
    proxy.fault("*", { refuse: true })
    const opened = await open()
    expect(opened.ok && opened.warnings.length > 0).toBe(true)
  })
})
