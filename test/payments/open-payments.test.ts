import { expect, test } from "bun:test"
import { ConfigError } from "../../src/base/config.ts"
import { realMachine } from "../../src/base/machine.ts"
import { type EvmAddress, evmAddress } from "../../src/base/setting-kinds.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { openPayments } from "../../src/payments/open-payments.ts"
import type { PaymentSettings } from "../../src/payments/payment-settings.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"

const settings: PaymentSettings = {
  network: BASE,
  mode: "test",
  // No server listens there, because opening queries no node.
  rpcUrl: "http://127.0.0.1:1",
  secondRpcUrl: null,
  singleNodeAcceptedBy: null,
  payTo: evmAddress(DEV_ACCOUNTS.payTo.address) as EvmAddress,
  settler: { kind: "self", relayerKey: DEV_KEYS[1] },
  ethUsd: 3500,
  burnedGasDailyWei: 1000n,
  settleWaitMs: 5000,
}

test("payments open without a node, and store the payee with its checksum", () => {
  const { payTo, settler } = openPayments(settings, realMachine)
  expect([payTo, settler.kind]).toEqual([DEV_ACCOUNTS.payTo.address, "self"])
})

test("a payee equal to the relayer is rejected, which is known only after its address is derived", () => {
  const payTo = evmAddress(DEV_ACCOUNTS.relayer.address) as EvmAddress
  const open = () => openPayments({ ...settings, payTo }, realMachine)
  expect(open).toThrow(ConfigError)
  expect(open).toThrow("relayer's own address")
})
