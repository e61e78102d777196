/** Payments from wallets that are contracts. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { type Address, type Hex, keccak256 } from "viem"
import { formatInstant } from "../../src/core/time.ts"
import { gasBurned } from "../../src/store/payments/burned-gas.ts"
import { taggedSignature } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import {
  type Bench,
  frontRun,
  openBench,
  openWork,
  reconcileUntilQuiet,
  refusedFor,
  rowsOf,
  theAttempt,
} from "./selling-bench.ts"

const { payer } = DEV_ACCOUNTS
let bench: Bench
let server: TestServer

beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

describe("payers with code", () => {
  const request = (from: Address) => freshRequest({ request: { decision_fee_payer: from } })

  test("a smart wallet pays with its 66-byte signature", async () => {
    const wallet = await bench.chain.deployWallet1271(payer.address)
    await bench.chain.mint(wallet, 10_000_000n)
    const before = await bench.paid()
    const paying = request(wallet)
    const answer = await server.post(
      paying,
      await signedHeader(server, paying, { from: wallet, wrap: taggedSignature }),
    )
    expect(answer.status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
    expect((await bench.chain.transfersTo(DEV_ACCOUNTS.payTo.address)).at(-1)?.from).toBe(wallet)
  })

  test("a wallet that wastes gas gets 402, and nothing is sent for it", async () => {
    await reconcileUntilQuiet(server)
    const burner = await bench.chain.deployGasBurner(400_000n)
    await bench.chain.mint(burner, 10_000_000n)
    const before = await bench.paid()
    const paying = request(burner)
    const header = await signedHeader(server, paying, { from: burner })
    const answer = await server.post(paying, header)
    expect([answer.status, refusedFor(answer)]).toEqual([402, "gas_limit_exceeded"])
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
    expect(await theAttempt(server, paying)).toMatchObject({ state: "FAILED", watched: 1, payloadJson: null })
    expect(await rowsOf(server, paying)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
    expect(await openWork(server)).toEqual({ attempts: 0, nonces: 0 })
    expect(await bench.paid()).toBe(before)
    expect((await server.post(paying, header)).status).toBe(402)
  })

  test("gas burned by a reverted settlement is recorded once per code, and a code over its budget gets 402 before sending", async () => {
    const wallet = await bench.chain.deployWallet1271(payer.address)
    await bench.chain.mint(wallet, 10_000_000n)
    const codeHash = keccak256((await bench.chain.publicClient.getCode({ address: wallet })) as Hex)
    const day = formatInstant(Date.now()).slice(0, 10)
    const frugal = await bench.server({ settings: { burnedGasDailyWei: 1n } })
    let header: Record<string, string> = {}
    const raced = await bench.server({
      trace: async (step) => {
        if (step === "settling_stored") await frontRun(bench.chain, header)
      },
    })
    const paying = request(wallet)
    header = await signedHeader(server, paying, { from: wallet, wrap: taggedSignature })
    expect((await raced.post(paying, header)).status).toBe(200)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    await reconcileOnce(server.deps)
    const relayed = await bench.chain.publicClient.getBlock({ blockNumber: await minedRevert() })
    const burned = await server.store.read(() => gasBurned(codeHash, day))
    const receipt = await bench.chain.publicClient.getTransactionReceipt({ hash: relayed.transactions.at(-1) as Hex })
    expect([receipt.status, burned]).toEqual(["reverted", receipt.gasUsed * receipt.effectiveGasPrice])

    const next = request(wallet)
    const answer = await frugal.post(next, await signedHeader(server, next, { from: wallet, wrap: taggedSignature }))
    expect([answer.status, refusedFor(answer)]).toEqual([402, "gas_budget_of_this_wallet_spent"])
    expect((await theAttempt(server, next)).state).toBe("FAILED")
    expect(await openWork(server)).toEqual({ attempts: 0, nonces: 0 })
  })

  /** Block of the relayer's newest transaction. */
  async function minedRevert(): Promise<bigint> {
    const { tx_hash: hash } = (await server.database.row<{ tx_hash: Hex }>(
      "SELECT tx_hash FROM relayer_transaction ORDER BY nonce DESC LIMIT 1",
    )) as { tx_hash: Hex }
    return (await bench.chain.publicClient.getTransactionReceipt({ hash })).blockNumber
  }
})
