import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { Hex } from "viem"
import { allocateNonce } from "../../src/store/payments/relayer-ledger.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { freshRequest, type House, signedHeader } from "../fixtures/selling-house.ts"
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

const { payTo } = DEV_ACCOUNTS

describe("the chain changes while or after a request runs", () => {
  let bench: Bench
  let house: House
  beforeAll(async () => {
    bench = await openBench()
    house = await bench.house({ settleWaitMs: 300 })
  })
  afterEach(async () => {
    bench.proxy.reset()
    await bench.chain.setAutomine(true)
  })
  afterAll(() => bench.close())

  describe("a stranger who submits the payer's authorization", () => {
    test("before the service gets the header gives a delivery on that transfer, and the service sends nothing", async () => {
      const request = freshRequest()
      const header = await signedHeader(house, request)
      const before = await bench.paid()
      const hash = await frontRun(bench.chain, header)
      const answer = await house.post(request, header)
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
      const header = await signedHeader(house, request)
      const before = await bench.paid()
      const hostile = await bench.house({
        settleWaitMs: 2_000,
        trace: async (reached) => {
          if (reached === step) hash = await frontRun(bench.chain, header)
        },
      })
      const answer = await hostile.post(request, header)
      expect([answer.status, settlementOf(answer).transaction]).toEqual([200, hash])
      expect(await bench.paid()).toBe(before + 1)
      await bench.chain.mine(1)
      await reconcileUntilQuiet(house)
      expect(await bench.paid()).toBe(before + 1)
      expect(theAttempt(house, request).settledTx).toBe(hash)
      const next = freshRequest()
      expect((await house.post(next, await signedHeader(house, next))).status).toBe(200)
    })
  })

  test("a payment whose broadcast response was lost is still delivered, once", async () => {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    const before = await bench.paid()
    bench.proxy.fault("eth_sendRawTransaction", { dropAnswer: true })
    expect((await house.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("a transaction mined late gives 202 first, and the reconciler delivers", async () => {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    const before = await bench.paid()
    await bench.chain.setAutomine(false)
    const first = await house.post(request, header)
    expect(first.status).toBe(202)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request).state).toBe("SETTLING")
    await bench.chain.mine(1)
    await reconcileUntilQuiet(house)
    const answer = await house.post(request, header)
    expect([answer.status, settlementOf(answer).transaction]).toEqual([200, settlementOf(first).transaction])
    expect(await bench.paid()).toBe(before + 1)
  })

  test("a transaction dropped from the pool is sent again with the same bytes", async () => {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    const before = await bench.paid()
    await bench.chain.setAutomine(false)
    const first = await house.post(request, header)
    const { transaction } = settlementOf(first)
    await bench.chain.dropTransaction(transaction as Hex)
    await bench.chain.mine(1)
    expect(await bench.paid()).toBe(before)
    await bench.chain.setAutomine(true)
    await reconcileUntilQuiet(house)
    expect((await bench.chain.transfersTo(payTo.address)).at(-1)?.hash as string).toBe(transaction)
    expect(await bench.paid()).toBe(before + 1)
    expect((await house.post(request, header)).status).toBe(200)
  })

  test("a broadcast that the node refused is sent again; the buyer gets 202 meanwhile", async () => {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    const before = await bench.paid()
    bench.proxy.fault("eth_sendRawTransaction", { error: { code: -32005, message: "rate limit exceeded" } })
    expect((await house.post(request, header)).status).toBe(202)
    await reconcileOnce(house.deps)
    expect(await bench.paid()).toBe(before)
    bench.proxy.reset()
    await reconcileUntilQuiet(house)
    expect((await house.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  // One block per second: a chain that mines each transaction immediately may leave one queued for ever.
  test("twelve simultaneous payments through one relayer all settle", async () => {
    const timed = await openBench({ blockTimeSeconds: 1 })
    try {
      const patient = await timed.house({ settleWaitMs: 10_000 })
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
  let house: House
  beforeEach(async () => {
    bench = await openBench({ slotsInAnEpoch: 4 })
    house = await bench.house()
  })
  afterEach(() => bench.close())

  test("sends the stored bytes again until a safe block has them; the buyer is charged once and keeps the answer", async () => {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    const bytes = await (await house.post(request, header)).text()
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request).finality).toBe("INCLUDED")
    await bench.chain.reorganize(1)
    expect(await bench.paid()).toBe(0)
    await reconcileOnce(house.deps)
    await reconcileOnce(house.deps)
    expect(await bench.paid()).toBe(1)
    const again = await house.post(request, header)
    expect([again.status, await again.text()]).toEqual([200, bytes])
    await bench.chain.mine(5)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request)).toMatchObject({ state: "SETTLED", finality: "SAFE", payloadJson: null })
    expect(await bench.paid()).toBe(1)
  })

  test("over several of the relayer's transactions brings every one back", async () => {
    const requests = [freshRequest(), freshRequest(), freshRequest()]
    for (const request of requests) {
      expect((await house.post(request, await signedHeader(house, request))).status).toBe(200)
    }
    await reconcileOnce(house.deps)
    expect(openWork(house)).toEqual({ attempts: 0, nonces: 0 })
    await bench.chain.reorganize(3)
    expect(await bench.paid()).toBe(0)
    for (let round = 0; round < 4; round++) await reconcileOnce(house.deps)
    expect(await bench.paid()).toBe(3)
    const next = freshRequest()
    expect((await house.post(next, await signedHeader(house, next))).status).toBe(200)
  })

  test("that removes a filled nonce makes the service send it again, because every later payment waits for it", async () => {
    const { address } = DEV_ACCOUNTS.relayer
    const nonce = await house.store.run(() => allocateNonce(address, null, 0, new Date().toISOString()))
    await reconcileOnce(house.deps)
    const request = freshRequest()
    expect((await house.post(request, await signedHeader(house, request))).status).toBe(200)
    await reconcileOnce(house.deps)
    expect(openWork(house)).toEqual({ attempts: 0, nonces: 0 })
    await bench.chain.reorganize(2)
    expect(await bench.chain.publicClient.getTransactionCount({ address })).toBe(nonce)
    for (let round = 0; round < 4; round++) await reconcileOnce(house.deps)
    expect(await bench.chain.publicClient.getTransactionCount({ address })).toBe(nonce + 2)
    expect(await bench.paid()).toBe(1)
  })

  test("whose transfer never returns is recorded as UNPAID_AFTER_REORG and not charged again", async () => {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    const bytes = await (await house.post(request, header)).text()
    await bench.chain.reorganize(1)
    bench.proxy.fault("eth_sendRawTransaction", { refuse: true })
    await bench.chain.increaseTime(400)
    await bench.chain.mine(6)
    bench.proxy.fault("eth_sendRawTransaction", null)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request)).toMatchObject({ state: "SETTLED", finality: "UNPAID_AFTER_REORG" })
    expect(house.lines.some(({ event }) => event === "unpaid_after_reorg")).toBe(true)
    expect(await bench.paid()).toBe(0)
    const again = await house.post(request, header)
    expect([again.status, await again.text()]).toEqual([200, bytes])
  })
})

describe("an authorization that expires unused", () => {
  let bench: Bench
  let house: House
  beforeEach(async () => {
    bench = await openBench()
    house = await bench.house({ settleWaitMs: 200 })
  })
  afterEach(() => bench.close())

  test("gets 202 until a safe block is past its end, then 402 with the failed settlement; nothing was paid", async () => {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    bench.proxy.fault("eth_sendRawTransaction", { refuse: true })
    expect((await house.post(request, header)).status).toBe(202)
    await bench.chain.increaseTime(400)
    await bench.chain.mine(1)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request).state).toBe("SETTLING")
    expect((await house.post(request, header)).status).toBe(202)
    await bench.chain.mine(1)
    await reconcileOnce(house.deps)
    const answer = await house.post(request, header)
    expect([answer.status, refusedFor(answer)]).toEqual([402, "expired_unused"])
    expect(settlementOf(answer)).toMatchObject({ success: false, errorReason: "expired_unused" })
    expect(rowsOf(house, request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
    expect(theAttempt(house, request).payloadJson).toBeNull()
    expect(await bench.paid()).toBe(0)
  })
})
