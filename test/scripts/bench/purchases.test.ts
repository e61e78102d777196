import { afterAll, beforeAll, describe, expect } from "bun:test"
import {
  COMPANY_CHECK,
  openPayers,
  PAYMENT_DECISION,
  type Payers,
  purchases,
} from "../../../scripts/bench/purchases.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../fixtures/chain.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { newDatabaseOn } from "../../fixtures/test-database.ts"
import { enterBuyer, openTestServer, type TestServerOptions } from "../../fixtures/test-server.ts"
import { until } from "../../fixtures/until.ts"

const test = slowTests(import.meta.path)

let chain: Chain
let payers: Payers
beforeAll(async () => {
  chain = await startChain()
  payers = await openPayers(chain)
})
afterAll(() => chain.stop())

/** A test server on a port, with the status of each of its answers. */
async function served(options: TestServerOptions = {}) {
  const database = await newDatabaseOn("sqlite")
  const server = await openTestServer(database, chain, options)
  await enterBuyer(server)
  for (const worker of server.workers) worker.start()
  const statuses: number[] = []
  const fetch = async (request: Request) => {
    const answer = await server.handle(request)
    statuses.push(answer.status)
    return answer
  }
  const listening = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch })
  return {
    origin: `http://127.0.0.1:${listening.port}`,
    statuses,
    [Symbol.asyncDispose]: async () => {
      await listening.stop(true)
      await server.close()
      await database.close()
    },
  }
}

describe("purchases", () => {
  test.each([PAYMENT_DECISION, COMPANY_CHECK])(
    "%#: each is paid on the chain, by all wallets in turns",
    async (product) => {
      await using server = await served()
      const count = payers.wallets.length + 1
      const before = await chain.transfersTo(DEV_ACCOUNTS.payTo.address)
      const { answers, times } = await purchases(payers, product, count)(server.origin)
      const paid = (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).slice(before.length)
      expect([answers, times.length, paid.length]).toEqual([count, count, count])
      expect(new Set(paid.map(({ from }) => from))).toEqual(new Set(payers.wallets.map(({ address }) => address)))
    },
  )

  test("end with the answer, also when the first reply only says that the payment is being settled", async () => {
    await using server = await served({ settleWaitMs: 100 })
    await chain.setAutomine(false)
    const bought = purchases(payers, COMPANY_CHECK, 1)(server.origin)
    await until("the payment waits for a block", () => server.statuses.includes(202))
    await chain.mine(1)
    await chain.setAutomine(true)
    expect((await bought).answers).toBe(1)
    expect(server.statuses.slice(0, 2)).toEqual([402, 202])
    expect(server.statuses.at(-1)).toBe(200)
  })

  test("fail with the answer to a request that is refused", async () => {
    await using server = await served()
    const refused = { ...COMPANY_CHECK, body: () => ({}) }
    await expect(purchases(payers, refused, 1)(server.origin)).rejects.toThrow("answered 422 instead of 402")
  })
})
