import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { formatInstant, HOUR } from "../../src/core/time.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { freshRequest, listedParty, signedHeader, staticBoard, type TestServer } from "../fixtures/test-server.ts"
import { type Bench, openBench } from "./selling-bench.ts"

let bench: Bench
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterAll(() => bench[Symbol.asyncDispose]())

describe("an unacceptable payment header", () => {
  const stale = () =>
    freshRequest({
      request: {
        freshness_requirements: { max_age_seconds: 172_800, evaluated_at: formatInstant(Date.now() - 5 * HOUR) },
      },
    })

  test("gets no quote where the same call without a header is refused", async () => {
    const request = stale()
    const foreign = await signedHeader(server, freshRequest())
    const answer = await server.post(request, foreign)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      422,
      "EVALUATED_AT_OUT_OF_WINDOW",
    ])
    expect(answer.headers.get("payment-required")).toBeNull()
  })

  test("gets no quote while nothing may be sold", async () => {
    const poor = await bench.server({ diskFreeMinMb: 1_000_000_000 })
    const answer = await poor.post(freshRequest(), await signedHeader(server, freshRequest()))
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, "DISK_LOW"])
  })

  test("gets no quote for a listed payer or when a source is not healthy", async () => {
    const header = await signedHeader(server, freshRequest())
    const wallet = { scheme: "wallet", value: DEV_ACCOUNTS.payer.address, currency: "ETH" }
    const listing = await bench.server({ board: staticBoard([listedParty({ identifiers: [wallet] })]) })
    expect((await listing.post(freshRequest(), header)).status).toBe(403)
    const sick = await bench.server({
      board: staticBoard([], (state) => ({ ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] })),
    })
    expect((await sick.post(freshRequest(), header)).status).toBe(503)
    expect(await bench.paid()).toBe(0)
  })
})
