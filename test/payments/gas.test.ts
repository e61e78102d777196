import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import type { Address } from "viem"
import { parseEther, toHex } from "viem"
import { checkAuthorization } from "../../src/payments/authorization.ts"
import { type GasPolicy, planGas, replacementFees } from "../../src/payments/gas.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { openChain, RpcUnavailable } from "../../src/payments/rpc.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import { verifyPayment } from "../../src/payments/verify-payment.ts"
import { PRICE_ATOMIC, sampleTerms, signPayment, taggedSignature } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"

const { payer, relayer } = DEV_ACCOUNTS
const chain = await startChain()
const proxy = startRpcProxy(chain.url)
const opened = openChain({ rpcUrl: proxy.url, network: BASE, timeoutMs: 5_000 })
const policy: GasPolicy = { ethUsdMicros: 3_500_000_000n, priorityFeeMax: 10_000_000n }
const terms = sampleTerms()

beforeAll(() => chain.mint(payer.address, 100_000_000n))
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

async function planned(from: Address, tagged = from !== payer.address) {
  const now = await chain.now()
  const wrap = tagged ? { wrap: taggedSignature } : {}
  const checked = checkAuthorization(await signPayment(payer, terms, now, { from, ...wrap }), terms, null)
  if (!checked.ok) throw new Error(checked.reason)
  const { authorization } = checked
  const payerHasCode = from !== payer.address
  return { authorization, call: { data: transferCall(authorization), payerHasCode } }
}
const plan = (call: Parameters<typeof planGas>[2], price = PRICE_ATOMIC, changes: Partial<GasPolicy> = {}) =>
  planGas({ chain: opened, gasPolicy: { ...policy, ...changes } }, relayer.address, call, price)

async function fundedBurner(gas: bigint, options = {}): Promise<Address> {
  const burner = await chain.deployGasBurner(gas, options)
  await chain.mint(burner, 10_000_000n)
  return burner
}

describe("planGas", () => {
  test("gives a payer without code the fixed limit without an estimate, and the signature does not leave the process", async () => {
    const { call, authorization } = await planned(payer.address)
    expect(await plan(call)).toMatchObject({ kind: "ready", gas: { gasLimit: 120_000n } })
    expect(proxy.count("eth_estimateGas")).toBe(0)
    const sent = proxy.calls.map((entry) => entry.body).join("\n")
    expect(sent).not.toContain(authorization.signature.slice(2, 66))
  })

  test("sets a fixed limit that is enough for the transfer", async () => {
    const { call } = await planned(payer.address)
    const hash = await chain.send(relayer, { to: BASE.asset.address, data: call.data, gas: 120_000n })
    const { status, gasUsed } = await chain.receiptOf(hash)
    expect(status).toBe("success")
    expect(gasUsed).toBeLessThan(120_000n)
  })

  test("gives a wallet its estimate plus a fifth, and the payment succeeds with it", async () => {
    const wallet = await chain.deployWallet1271(payer.address)
    await chain.mint(wallet, 10_000_000n)
    const { call } = await planned(wallet)
    const gas = await plan(call)
    if (gas.kind !== "ready") throw new Error(gas.kind)
    const hash = await chain.send(relayer, { to: BASE.asset.address, data: call.data, gas: gas.gas.gasLimit })
    const { gasUsed } = await chain.receiptOf(hash)
    expect(gas.gas.gasLimit).toBeGreaterThan(gasUsed)
    expect(gas.gas.gasLimit).toBeLessThan(gasUsed * 2n)
  })

  test("refuses a wallet that burns more gas than the service pays for", async () => {
    const { call } = await planned(await fundedBurner(300_000n))
    expect(await plan(call)).toEqual({ kind: "refused", reason: "gas_limit_exceeded" })
  })

  test("refuses a wallet by its estimate if it is cheap only in calls without a fee and so passes verification", async () => {
    const burner = await fundedBurner(300_000n, { onlyWithFee: true })
    const { call, authorization } = await planned(burner)
    expect(await verifyPayment(opened, authorization, terms, relayer.address)).toMatchObject({ isValid: true })
    expect(await plan(call)).toEqual({ kind: "refused", reason: "gas_limit_exceeded" })
  })

  test("gives a wallet near the limit exactly the limit, not a fifth more", async () => {
    const { call } = await planned(await fundedBurner(140_000n))
    expect(await plan(call)).toMatchObject({ kind: "ready", gas: { gasLimit: 250_000n } })
  })

  test("reports that a wallet's transfer would fail if it reverts, which decides nothing about the payment", async () => {
    const wallet = await chain.deployWallet1271(payer.address)
    const { call } = await planned(wallet)
    expect(await plan(call)).toEqual({ kind: "would_fail" })
  })

  test("postpones a settlement whose gas costs more than a quarter of the price", async () => {
    const ready = await plan(null)
    if (ready.kind !== "ready") throw new Error(ready.kind)
    const costMicros = (ready.worstCostWei * policy.ethUsdMicros + 10n ** 18n - 1n) / 10n ** 18n
    expect(await plan(null, costMicros * 4n)).toMatchObject({ kind: "ready" })
    expect(await plan(null, costMicros * 4n - 1n)).toEqual({ kind: "not_now", code: "GAS_TOO_EXPENSIVE" })
    await chain.setNextBaseFee(1_000_000_000n)
    await chain.mine(1)
    expect(await plan(null)).toEqual({ kind: "not_now", code: "GAS_TOO_EXPENSIVE" })
    await chain.setNextBaseFee(10_000_000n)
    await chain.mine(1)
  })

  test("counts the fee for publishing on L1, which it queries by size and not by content", async () => {
    const { worstCostWei: alone } = (await plan(null)) as { worstCostWei: bigint }
    await chain.setCode("0x420000000000000000000000000000000000000F", "0x64174876e80060005260206000f3")
    const { worstCostWei: withL1 } = (await plan(null)) as { worstCostWei: bigint }
    await chain.setCode("0x420000000000000000000000000000000000000F", "0x60006000fd")
    const reverting = await plan(null).catch((error: unknown) => error)
    await chain.setCode("0x420000000000000000000000000000000000000F", "0x")
    expect(withL1 - alone).toBe(100_000_000_000n)
    expect(reverting).toBeInstanceOf(RpcUnavailable)
  })

  test("reports a relayer that cannot pay the worst case as unfunded, with and without code", async () => {
    const wallet = await chain.deployWallet1271(payer.address)
    await chain.mint(wallet, 10_000_000n)
    const { call } = await planned(wallet)
    await chain.setEtherBalance(relayer.address, 1n)
    expect(await plan(null)).toEqual({ kind: "not_now", code: "RELAYER_UNFUNDED" })
    expect(await plan(call)).toEqual({ kind: "not_now", code: "RELAYER_UNFUNDED" })
    await chain.setEtherBalance(relayer.address, parseEther("1"))
    expect(await plan(call)).toMatchObject({ kind: "ready" })
  })

  test("never follows the node's priority fee above the cap", async () => {
    proxy.fault("eth_maxPriorityFeePerGas", { result: "0xe8d4a51000" })
    expect(await plan(null)).toMatchObject({ gas: { maxPriorityFeePerGas: 10_000_000n } })
    proxy.fault("eth_maxPriorityFeePerGas", { result: "0x7" })
    expect(await plan(null)).toMatchObject({ gas: { maxPriorityFeePerGas: 7n } })
  })

  test("takes the part of the node's price above the base fee where the node suggests no priority fee", async () => {
    const { baseFeePerGas } = await opened.primary.block("latest")
    proxy.fault("eth_maxPriorityFeePerGas", { reject: true })
    proxy.fault("eth_gasPrice", { result: toHex(baseFeePerGas + 7n) })
    expect(await plan(null)).toMatchObject({ gas: { maxPriorityFeePerGas: 7n } })
    proxy.fault("eth_gasPrice", { result: toHex(baseFeePerGas - 1n) })
    expect(await plan(null)).toMatchObject({ gas: { maxPriorityFeePerGas: 0n } })
  })

  test("reports a silent node as unavailable", async () => {
    proxy.fault("*", { reject: true })
    expect(await plan(null).catch((error: unknown) => error)).toBeInstanceOf(RpcUnavailable)
  })
})

test("replacement fees rise by an eighth, or to the current fee if that is higher", () => {
  const previous = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 9n }
  expect(replacementFees(previous, { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })).toEqual({
    maxFeePerGas: 1_125n,
    maxPriorityFeePerGas: 11n,
  })
  expect(replacementFees(previous, { maxFeePerGas: 5_000n, maxPriorityFeePerGas: 50n })).toEqual({
    maxFeePerGas: 5_000n,
    maxPriorityFeePerGas: 50n,
  })
})
