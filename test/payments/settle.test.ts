import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { SettleStep } from "../../src/payments/settle.ts"
import {
  type Bench,
  openBench,
  reconcileUntilQuiet,
  refusedFor,
  rowsOf,
  theAttempt,
} from "../delivery/selling-bench.ts"
import { PLAIN_FORMS, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, paymentHeader, quoteFor, signedHeader, type TestServer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

let bench: Bench
let server: TestServer
const steps: SettleStep[] = []

beforeAll(async () => {
  bench = await openBench()
  server = await bench.server({ trace: (step) => void steps.push(step) })
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

describe("sendSettlement", () => {
  test("stores the decision, then the nonce, then the raw transaction, then sends; the signature leaves the process only then", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const { signature } = JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString()).payload
    let seenBefore = -1
    const watching = await bench.server({
      trace: (step) => {
        steps.push(step)
        if (step === "settling_stored") {
          seenBefore = bench.proxy.calls.filter(({ body }) => body.includes(signature.slice(2, 66))).length
        }
      },
    })
    expect((await watching.post(request, header)).status).toBe(200)
    expect(steps).toEqual(["reserved", "computed", "nonce_allocated", "settling_stored", "broadcast", "settled"])
    expect(seenBefore).toBe(0)
  })

  test("does not send an authorization with less than twenty seconds left on the chain's clock: 402, released, uncharged", async () => {
    await using late = await openBench()
    const trace = async (step: SettleStep) => {
      if (step !== "computed") return
      await late.chain.increaseTime(285)
      await late.chain.mine(1)
    }
    const selling = await late.server({ trace })
    const request = freshRequest()
    const header = await signedHeader(selling, request)
    const answer = await selling.post(request, header)
    expect([answer.status, refusedFor(answer)]).toEqual([402, "authorization_too_close_to_expiry"])
    expect(await theAttempt(selling, request)).toMatchObject({
      state: "RELEASED",
      reason: "AUTHORIZATION_TOO_OLD",
      watched: 1,
    })
    expect(await rowsOf(selling, request)).toMatchObject({ computed: 0, holds: 0 })
    expect(late.proxy.count("eth_sendRawTransaction")).toBe(0)
    expect(await late.paid()).toBe(0)
  })

  describe.each(PLAIN_FORMS)("of a payment signed with %s", (_, wrap) => {
    /** A paid header, and the same payment again. */
    async function presented(selling: TestServer, secondsAhead = -1) {
      const request = freshRequest()
      const terms = await quoteFor(selling, request)
      const now = await bench.chain.now()
      const signed = await signPayment(DEV_ACCOUNTS.payer, terms, now, { wrap, validAfter: now + secondsAhead })
      return { request, header: paymentHeader(signed) }
    }

    test("transfers once, and the same header gets the same bytes again", async () => {
      const before = await bench.paid()
      const { request, header } = await presented(server)
      const first = await server.post(request, header)
      const second = await server.post(request, header)
      expect([first.status, second.status]).toEqual([200, 200])
      expect(await second.text()).toBe(await first.text())
      expect(await bench.paid()).toBe(before + 1)
    })

    test("transfers once when the stored payload is sent later", async () => {
      const before = await bench.paid()
      const { request, header } = await presented(server, 10)
      const slow = await bench.server({ settleWaitMs: 0 })
      expect((await slow.post(request, header)).status).toBe(202)
      expect(await theAttempt(slow, request)).toMatchObject({ state: "SETTLING" })
      await bench.chain.increaseTime(12)
      await bench.chain.mine(1)
      await reconcileUntilQuiet(slow)
      expect((await slow.post(request, header)).status).toBe(200)
      expect(await bench.paid()).toBe(before + 1)
    })
  })

  test("does not follow the node's suggested priority fee above the cap", async () => {
    bench.proxy.fault("eth_maxPriorityFeePerGas", { result: "0x174876e800" })
    const request = freshRequest()
    expect((await server.post(request, await signedHeader(server, request))).status).toBe(200)
    const hash = (await theAttempt(server, request)).settledTx as `0x${string}`
    const { maxPriorityFeePerGas } = await bench.chain.publicClient.getTransaction({ hash })
    expect(maxPriorityFeePerGas).toBe(50_000_000n)
  })
})
