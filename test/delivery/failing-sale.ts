/** A sale during which the database of its process begins to fail. */
import { expect } from "bun:test"
import type { SettleStep } from "../../src/payments/settle.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { type Bench, problemOf, reconcileUntilQuiet, rowsOf, settlementOf } from "./selling-bench.ts"

/** Begins a fault of the database of this process, and returns what ends it. */
export type Fault = (server: TestServer) => () => void

/** After which step of the sale the fault begins, and the status that the buyer gets. */
export type Moment = readonly [step: SettleStep, status: 202 | 503]

/** `healthy`: the process that continues. Its clock is past the lease of the other. */
export async function expectPaidOnce(
  { bench, healthy }: { readonly bench: Bench; readonly healthy: TestServer },
  fault: Fault,
  [step, status]: Moment,
): Promise<void> {
  const request = freshRequest()
  const before = await bench.paid()
  let fail = () => {}
  let end = () => {}
  const server = await bench.server({
    settleWaitMs: 200,
    trace: (reached) => {
      if (reached === step) fail()
    },
  })
  const header = await signedHeader(server, request)
  fail = () => {
    fail = () => {}
    end = fault(server)
  }
  const answer = await server.post(request, header)
  end()
  expect(answer.status).toBe(status)
  if (status === 503) {
    expect(await problemOf(answer)).toMatchObject({ code: "STORE_UNAVAILABLE", charged: false })
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
  } else expect(settlementOf(answer)).toMatchObject({ success: false, errorReason: "settlement_pending" })

  await reconcileUntilQuiet(healthy)
  expect(await bench.paid()).toBe(before + (status === 503 ? 0 : 1))
  expect((await healthy.post(request, header)).status).toBe(200)
  expect(await bench.paid()).toBe(before + 1)
  expect(await rowsOf(healthy, request)).toMatchObject({ attempts: 1, delivered: 1 })
}
