/**
 * The program with one node that gives wrong responses for a while, and with a relayer key that was used elsewhere: no buyer pays twice,
 * and sales continue.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { encodeFunctionData, toHex } from "viem"
import { openRelayer } from "../../src/payments/relayer.ts"
import { USDC_ABI } from "../../src/payments/usdc-contract.ts"
import type { Running } from "../fixtures/binary.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"
import {
  ask,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type TestOperator,
} from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

const FLAGS = ["--lease-seconds", "4", "--settle-wait-ms", "500"]
const { relayer, stranger } = DEV_ACCOUNTS
const STATE_CALL = encodeFunctionData({
  abi: USDC_ABI,
  functionName: "authorizationState",
  args: [stranger.address, `0x${"00".repeat(32)}`],
}).slice(0, 10)

let operator: TestOperator
let server: Running
beforeAll(async () => {
  operator = await openTestOperator({ genesisSecondsAgo: 3_600 })
  server = await operator.serve(FLAGS)
})
afterEach(async () => {
  operator.proxy.reset()
  await operator.chain.setAutomine(true)
})
afterAll(() => operator[Symbol.asyncDispose]())

test("while a node refuses the transaction and says `used` without a log, the buyer never gets 402 and the operator gets the alarm", async () => {
  const signed = await operator.sign()
  const header = await paymentFor(server.origin, signed)
  const before = (await operator.transfers()).length
  // From the first broadcast on, so that every query before it gets a true state.
  operator.proxy.fault("eth_sendRawTransaction", {
    when: () => {
      operator.proxy.fault("eth_call", {
        when: ([call]) => (call as { data: string }).data.startsWith(STATE_CALL),
        result: toHex(1, { size: 32 }),
      })
      return true
    },
    error: { code: -32005, message: "rate limit exceeded" },
  })
  // Every response must be right, so a slow machine only sees fewer of them.
  const statuses = new Set<number>()
  const until = Date.now() + 5_000
  while (Date.now() < until) {
    statuses.add((await ask(server.origin, signed.request, header)).status)
    await operator.chain.mine(1)
    await Bun.sleep(250)
  }
  expect([...statuses]).toEqual([202])
  await server.logged('"event":"authorization_used_without_log"')
  operator.proxy.reset()
  await present(server.origin, signed, header)
  expect((await operator.transfers()).length).toBe(before + 1)
})

describe("another use of the relayer's key", () => {
  test("with a foreign transaction that is dropped leaves no gap: the order settles, also after a restart", async () => {
    await operator.chain.setAutomine(false)
    const nonce = await operator.chain.countOf(relayer.address)
    const gas = { gasLimit: 30_000n, maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
    const foreign = await openRelayer(DEV_KEYS[1], 8453).sign({ to: stranger.address, data: "0x" }, nonce, gas)
    await operator.chain.sendUnmined(foreign.raw)
    const signed = await operator.sign()
    const header = await paymentFor(server.origin, signed)
    expect((await ask(server.origin, signed.request, header)).status).toBe(202)
    const killed = server
    await killed.kill()
    await operator.chain.dropTransaction(foreign.hash)
    await operator.chain.setAutomine(true)
    server = await operator.serve(FLAGS)
    await present(server.origin, signed, header)
    // The server with the first round found the gap.
    expect(killed.err() + server.err()).toContain('"event":"relayer_nonce_gap"')
    const next = await operator.sign()
    await present(server.origin, next, await paymentFor(server.origin, next))
  })

  test("with one wrong transaction count leaves no gap either", async () => {
    const count = await operator.chain.countOf(relayer.address)
    let wrong = 1
    operator.proxy.fault("eth_getTransactionCount", {
      when: ([, tag]) => tag === "pending" && wrong-- > 0,
      result: toHex(count + 7),
    })
    const signed = await operator.sign()
    await present(server.origin, signed, await paymentFor(server.origin, signed))
    expect(wrong).toBeLessThan(1)
    expect(await operator.chain.countOf(relayer.address)).toBe(count + 8)
  })
})
