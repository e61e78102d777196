import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test"
import type { Hex } from "viem"
import { maintainRelayers, resumeAbandoned, watchOutcomes } from "../../src/delivery/reconcile.ts"
import { noteReinclusion } from "../../src/store/payments/attempt-watch.ts"
import { type Attempt, findAttempt } from "../../src/store/payments/attempts.ts"
import { allocateNonce } from "../../src/store/payments/relayer-ledger.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import {
  type Bench,
  frontRun,
  openBench,
  openWork,
  reconcileUntilQuiet,
  refusedFor,
  rowsOf,
  settlementOf,
  theAttempt,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

const { payTo } = DEV_ACCOUNTS

describe("the chain changes while or after a request runs", () => {
  let bench: Bench
  let server: TestServer
  beforeAll(async () => {
    bench = await openBench()
    server = await bench.server({ settleWaitMs: 300 })
  })
  afterEach(async () => {
    bench.proxy.reset()
    await bench.chain.setAutomine(true)
  })
  afterAll(() => bench.close())

  describe("a stranger who submits the payer's authorization", () => {
    test("before the service gets the header gives a delivery on that transfer, and the service sends nothing", async () => {
      const request = freshRequest()
      const header = await signedHeader(server, request)
      const before = await bench.paid()
      const hash = await frontRun(bench.chain, header)
      const answer = await server.post(request, header)
      expect([answer.status, settlementOf(answer).transaction]).toEqual([200, hash])
      expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
      expect(await bench.paid()).toBe(before + 1)
    })

    test.each([
      ["after the reservation", "reserved"],
      ["after verification and computing", "computed"],
      ["after the relayer's nonce was allocated", "nonce_allocated"],
      ["after our raw transaction was stored", "settling_stored"],
    ])("%s gives one delivery on the stranger's transfer, and the service's own moves no money", async (_, step) => {
      let hash: Hex = "0x"
      const request = freshRequest()
      const header = await signedHeader(server, request)
      const before = await bench.paid()
      const hostile = await bench.server({
        settleWaitMs: 2_000,
        trace: async (reached) => {
          if (reached === step) hash = await frontRun(bench.chain, header)
        },
      })
      const answer = await hostile.post(request, header)
      expect([answer.status, settlementOf(answer).transaction]).toEqual([200, hash])
      expect(await bench.paid()).toBe(before + 1)
      await bench.chain.mine(1)
      await reconcileUntilQuiet(server)
      expect(await bench.paid()).toBe(before + 1)
      expect((await theAttempt(server, request)).settledTx).toBe(hash)
      const next = freshRequest()
      expect((await server.post(next, await signedHeader(server, next))).status).toBe(200)
    })
  })

  test("a payment whose broadcast response was lost is still delivered, once", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    bench.proxy.fault("eth_sendRawTransaction", { dropAnswer: true })
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("a transaction mined late gives 202 first, and the reconciler delivers", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    await bench.chain.setAutomine(false)
    const first = await server.post(request, header)
    expect(first.status).toBe(202)
    await reconcileOnce(server.deps)
    expect((await theAttempt(server, request)).state).toBe("SETTLING")
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    const answer = await server.post(request, header)
    expect([answer.status, settlementOf(answer).transaction]).toEqual([200, settlementOf(first).transaction])
    expect(await bench.paid()).toBe(before + 1)
  })

  test("the round that delivers waits for no query about the relayer's open nonces, which may be many", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    // A mined nonce that an earlier sale left open would need a second count.
    await maintainRelayers(server.deps)
    await bench.chain.setAutomine(false)
    expect((await server.post(request, header)).status).toBe(202)
    bench.proxy.reset()
    await resumeAbandoned(server.deps)
    expect((await theAttempt(server, request)).state).toBe("SETTLING")
    expect(bench.proxy.count("eth_getTransactionCount")).toBe(0)
    await maintainRelayers(server.deps)
    expect(bench.proxy.count("eth_getTransactionCount")).toBe(1)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
  })

  test("a transaction dropped from the pool is sent again with the same bytes", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    await bench.chain.setAutomine(false)
    const first = await server.post(request, header)
    const { transaction } = settlementOf(first)
    await bench.chain.dropTransaction(transaction as Hex)
    await bench.chain.mine(1)
    expect(await bench.paid()).toBe(before)
    await bench.chain.setAutomine(true)
    await reconcileUntilQuiet(server)
    expect((await bench.chain.transfersTo(payTo.address)).at(-1)?.hash as string).toBe(transaction)
    expect(await bench.paid()).toBe(before + 1)
    expect((await server.post(request, header)).status).toBe(200)
  })

  test("a broadcast that the node refused is sent again; the buyer gets 202 meanwhile", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    bench.proxy.fault("eth_sendRawTransaction", { error: { code: -32005, message: "rate limit exceeded" } })
    expect((await server.post(request, header)).status).toBe(202)
    await reconcileOnce(server.deps)
    expect(await bench.paid()).toBe(before)
    bench.proxy.reset()
    await reconcileUntilQuiet(server)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  // One block per second: a chain that mines each transaction immediately may leave one queued for ever.
  test("twelve simultaneous payments through one relayer all settle", async () => {
    const timed = await openBench({ blockTimeSeconds: 1 })
    try {
      const patient = await timed.server({ settleWaitMs: 10_000 })
      const requests = Array.from({ length: 12 }, () => freshRequest())
      const headers = await Promise.all(requests.map((request) => signedHeader(patient, request)))
      const answers = await Promise.all(requests.map((request, i) => patient.post(request, headers[i])))
      expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
      expect(await timed.paid()).toBe(12)
      await reconcileUntilQuiet(patient)
    } finally {
      await timed.close()
    }
  })
})

describe("a reorganization after delivery", () => {
  let bench: Bench
  let server: TestServer
  beforeEach(async () => {
    bench = await openBench({ slotsInAnEpoch: 4 })
    server = await bench.server()
  })
  afterEach(() => bench.close())

  const sentBytes = async () =>
    (await server.database.rows<{ raw: string }>("SELECT raw FROM relayer_transaction")).map(({ raw }) => raw)

  test("sends the stored bytes again until a safe block has them; the buyer is charged once and keeps the answer", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const bytes = await (await server.post(request, header)).text()
    await reconcileOnce(server.deps)
    expect((await theAttempt(server, request)).finality).toBe("INCLUDED")
    await bench.chain.reorganize(1)
    expect(await bench.paid()).toBe(0)
    await reconcileOnce(server.deps)
    await reconcileOnce(server.deps)
    expect(await bench.paid()).toBe(1)
    const again = await server.post(request, header)
    expect([again.status, await again.text()]).toEqual([200, bytes])
    await bench.chain.mine(5)
    await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED", finality: "SAFE", payloadJson: null })
    expect(await sentBytes()).toEqual([""])
    expect(await bench.paid()).toBe(1)
  })

  test("that another process sees while a poll runs: the poll does not conclude with the block of before", async () => {
    const request = freshRequest()
    expect((await server.post(request, await signedHeader(server, request))).status).toBe(200)
    const { id } = await theAttempt(server, request)
    const settled = () => server.store.read(() => findAttempt(id))
    const { settledTx, settledBlockHash } = (await settled()) as Attempt
    await bench.chain.mine(5)
    const held = Promise.withResolvers<void>()
    bench.proxy.reset()
    bench.proxy.fault("eth_getBlockByNumber", { when: ([which]) => which === "finalized", hold: held.promise })
    const polled = watchOutcomes(server.deps)
    await until("the poll has seen the safe block", () =>
      bench.proxy.calls.some(({ body }) => body.includes("finalized")),
    )
    const behind = { tx: `0x${"cc".repeat(32)}`, logIndex: 1, block: "1", blockHash: "0xdd" }
    await server.store.run(() => noteReinclusion({ id, settledBlockHash }, behind, "2026-12-01T00:00:00.000Z"))
    held.resolve()
    await polled
    expect(await settled()).toMatchObject({ settledBlockHash: "0xdd", finality: "INCLUDED" })
    bench.proxy.reset()
    await reconcileOnce(server.deps)
    expect(await settled()).toMatchObject({ settledTx, settledBlockHash, finality: "SAFE" })
  })

  test("that a node shows past a safe block: the nonce without bytes is filled, and sales go on", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const bytes = await (await server.post(request, header)).text()
    await reconcileOnce(server.deps)
    await bench.chain.mine(5)
    await reconcileOnce(server.deps)
    expect(await sentBytes()).toEqual([""])
    await bench.chain.reorganize(6)
    expect(await bench.paid()).toBe(0)
    for (let round = 0; round < 4; round++) await reconcileOnce(server.deps)
    expect(await openWork(server)).toEqual({ attempts: 0, nonces: 0 })
    expect(await bench.paid()).toBe(0)
    const again = await server.post(request, header)
    expect([again.status, await again.text()]).toEqual([200, bytes])
    const next = freshRequest()
    expect((await server.post(next, await signedHeader(server, next))).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("over several of the relayer's transactions brings every one back", async () => {
    const requests = [freshRequest(), freshRequest(), freshRequest()]
    for (const request of requests) {
      expect((await server.post(request, await signedHeader(server, request))).status).toBe(200)
    }
    await reconcileOnce(server.deps)
    expect(await openWork(server)).toEqual({ attempts: 0, nonces: 0 })
    await bench.chain.reorganize(3)
    expect(await bench.paid()).toBe(0)
    for (let round = 0; round < 4; round++) await reconcileOnce(server.deps)
    expect(await bench.paid()).toBe(3)
    const next = freshRequest()
    expect((await server.post(next, await signedHeader(server, next))).status).toBe(200)
  })

  test("that removes a filled nonce makes the service send it again, because every later payment waits for it", async () => {
    const { address } = DEV_ACCOUNTS.relayer
    const nonce = await server.store.run(() => allocateNonce(address, null, 0, new Date().toISOString()))
    await reconcileOnce(server.deps)
    const request = freshRequest()
    expect((await server.post(request, await signedHeader(server, request))).status).toBe(200)
    await reconcileOnce(server.deps)
    expect(await openWork(server)).toEqual({ attempts: 0, nonces: 0 })
    await bench.chain.reorganize(2)
    expect(await bench.chain.publicClient.getTransactionCount({ address })).toBe(nonce)
    for (let round = 0; round < 4; round++) await reconcileOnce(server.deps)
    expect(await bench.chain.publicClient.getTransactionCount({ address })).toBe(nonce + 2)
    expect(await bench.paid()).toBe(1)
  })

  test("whose transfer never returns is recorded as UNPAID_AFTER_REORG and not charged again", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const bytes = await (await server.post(request, header)).text()
    await bench.chain.reorganize(1)
    bench.proxy.fault("eth_sendRawTransaction", { reject: true })
    await bench.chain.increaseTime(400)
    await bench.chain.mine(6)
    bench.proxy.fault("eth_sendRawTransaction", null)
    await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED", finality: "UNPAID_AFTER_REORG" })
    expect(server.lines.some(({ event }) => event === "unpaid_after_reorg")).toBe(true)
    expect(await bench.paid()).toBe(0)
    const again = await server.post(request, header)
    expect([again.status, await again.text()]).toEqual([200, bytes])
  })
})

describe("an authorization that expires unused", () => {
  let bench: Bench
  let server: TestServer
  beforeEach(async () => {
    bench = await openBench()
    server = await bench.server({ settleWaitMs: 200 })
  })
  afterEach(() => bench.close())

  test("gets 202 until a safe block is past its end, then 402 with the failed settlement; nothing was paid", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    bench.proxy.fault("eth_sendRawTransaction", { reject: true })
    expect((await server.post(request, header)).status).toBe(202)
    await bench.chain.increaseTime(400)
    await bench.chain.mine(1)
    await reconcileOnce(server.deps)
    expect((await theAttempt(server, request)).state).toBe("SETTLING")
    expect((await server.post(request, header)).status).toBe(202)
    await bench.chain.mine(1)
    await reconcileOnce(server.deps)
    const answer = await server.post(request, header)
    expect([answer.status, refusedFor(answer)]).toEqual([402, "expired_unused"])
    expect(settlementOf(answer)).toMatchObject({ success: false, errorReason: "expired_unused" })
    expect(await rowsOf(server, request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
    expect((await theAttempt(server, request)).payloadJson).toBeNull()
    expect(await bench.paid()).toBe(0)
  })
})
