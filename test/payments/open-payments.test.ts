import { describe, expect, test } from "bun:test"
import { realMachine } from "../../src/base/machine.ts"
import { type EvmAddress, evmAddress } from "../../src/base/setting-kinds.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { openPayments } from "../../src/payments/open-payments.ts"
import { type PaymentSettings, settingProblems } from "../../src/payments/payment-settings.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"

const settings: PaymentSettings = {
  network: BASE,
  mode: "test",
  // No server listens there, because opening queries no node.
  rpcUrl: "http://127.0.0.1:1",
  secondRpcUrl: null,
  singleNodeAcceptedBy: null,
  payTo: evmAddress(DEV_ACCOUNTS.payTo.address) as EvmAddress,
  settler: "self",
  relayerKey: DEV_KEYS[1],
  facilitatorUrl: null,
  ethUsd: 3500,
  burnedGasDailyWei: 1000n,
  settleWaitMs: 5000,
}
const open = (changes: Partial<PaymentSettings> = {}) => openPayments({ ...settings, ...changes }, realMachine)
function problems(changes: Partial<PaymentSettings>): string {
  const opened = open(changes)
  return opened.ok ? "opened" : opened.problems.join("; ")
}

describe("openPayments", () => {
  test("works with complete settings and without a node, and stores the payee with its checksum", () => {
    const opened = open()
    expect(opened.ok && [opened.payments.payTo, opened.payments.settler.kind]).toEqual([
      DEV_ACCOUNTS.payTo.address,
      "self",
    ])
  })

  test("rejects a payee equal to the relayer, which is known only after its address is derived", () => {
    expect(settingProblems({ ...settings, payTo: evmAddress(DEV_ACCOUNTS.relayer.address) as EvmAddress })).toEqual([])
    expect(problems({ payTo: evmAddress(DEV_ACCOUNTS.relayer.address) as EvmAddress })).toContain(
      "relayer's own address",
    )
  })
})

describe("faults of the settings are reported before payments are opened, and opening rejects them too", () => {
  test("all missing settings are named together", () => {
    for (const said of [
      settingProblems({ ...settings, rpcUrl: null, payTo: null, relayerKey: null }).join("; "),
      problems({ rpcUrl: null, payTo: null, relayerKey: null }),
    ]) {
      for (const name of ["rpc_url", "pay_to", "relayer_key_file"]) expect(said).toContain(name)
    }
  })

  test.each([
    ["an invalid relayer key", { relayerKey: "0x1234" }, "relayer_key_file"],
    ["a relayer key of zero", { relayerKey: `0x${"0".repeat(64)}` }, "relayer_key_file"],
    ["a relayer key above the curve's order", { relayerKey: `0x${"f".repeat(64)}` }, "relayer_key_file"],
    ["a hosted settler without a URL", { settler: "http", facilitatorUrl: null }, "facilitator_url"],
    ["a hosted settler over plain http elsewhere", { settler: "http", facilitatorUrl: "http://x.example" }, "https"],
    ["a test on a remote node", { rpcUrl: "https://192.0.2.1" }, "loopback"],
    ["a live node over plain http", { mode: "live", rpcUrl: "http://192.0.2.1" }, "https"],
  ] as [string, Partial<PaymentSettings>, string][])("%s is rejected", (_, changes, expected) => {
    for (const said of [settingProblems({ ...settings, ...changes }).join("; "), problems(changes)]) {
      expect(said).toContain(expected)
      expect(said).not.toContain("0x1234")
    }
  })
})
