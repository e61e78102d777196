import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { SettleStep } from "../../src/payments/settle.ts"
import { type Bench, openBench, refusedFor, rowsOf, theAttempt } from "../delivery/selling-bench.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"

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
    expect(theAttempt(selling, request)).toMatchObject({
      state: "RELEASED",
      reason: "AUTHORIZATION_TOO_OLD",
      watched: 1,
    })
    expect(rowsOf(selling, request)).toMatchObject({ computed: 0, holds: 0 })
    expect(late.proxy.count("eth_sendRawTransaction")).toBe(0)
    expect(await late.paid()).toBe(0)
  })

  test("does not follow the node's suggested priority fee above the cap", async () => {
    bench.proxy.fault("eth_maxPriorityFeePerGas", { result: "0x174876e800" })
    const request = freshRequest()
    expect((await server.post(request, await signedHeader(server, request))).status).toBe(200)
    const hash = theAttempt(server, request).settledTx as `0x${string}`
    const { maxPriorityFeePerGas } = await bench.chain.publicClient.getTransaction({ hash })
    expect(maxPriorityFeePerGas).toBe(50_000_000n)
  })
})
