/** What a server does whose clock is not that of its database server. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { openEngine } from "../../src/store/engine/open-engine.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { newDatabaseOn, type TestDatabase } from "../fixtures/test-database.ts"
import { enterBuyer, freshRequest, openTestServer, signedHeader, type TestServer } from "../fixtures/test-server.ts"

setDefaultTimeout(60_000)

describe.skipIf(!HAS_POSTGRES)(`a server whose clock is off${NOT_RUN}`, () => {
  let chain: Chain
  let database: TestDatabase
  let server: TestServer
  const clock = { ahead: 0, now: (): number => Date.now() + clock.ahead }

  beforeAll(async () => {
    chain = await startChain()
    await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
    database = await newDatabaseOn("postgres")
    const onFatal = (error: unknown) => {
      throw error
    }
    const open = async () => {
      const engine = await openEngine({ kind: "SERVER", url: () => database.address }, { clock, onFatal })
      return { engine, store: engine.store }
    }
    server = await openTestServer({ ...database, open }, chain)
    server.readiness.add(...server.engine.checks(server.deps.log))
    await enterBuyer({ store: server.store, database })
  })
  afterAll(async () => {
    await server.close()
    await database.close()
    await chain.stop()
  })

  const codesAt = async (ahead: number) => {
    clock.ahead = ahead
    await server.readiness.runAgain()
    return server.readiness.reasons().map(({ code }) => code)
  }
  const transfers = async () => (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length

  test("1.5 s off it sells, 2.5 s off it quotes and charges nothing, and it takes the same payment when the clock is right", async () => {
    expect(await codesAt(1_500)).toEqual([])
    const request = freshRequest()
    const header = await signedHeader(server, request)
    for (const ahead of [2_500, -2_500]) {
      expect(await codesAt(ahead)).toEqual(["CLOCK_DIFFERS"])
      for (const headers of [{}, header]) {
        const refused = await server.post(request, headers)
        expect([refused.status, await refused.json()]).toEqual([
          503,
          expect.objectContaining({ code: "NOT_READY", reason_codes: ["CLOCK_DIFFERS"], charged: false }),
        ])
      }
      expect(await transfers()).toBe(0)
    }
    expect(await codesAt(0)).toEqual([])
    expect((await server.post(request, header)).status).toBe(200)
    expect(await transfers()).toBe(1)
  })
})
