/** A paid answer about an invoice whose id is as long as a request allows is delivered, and found again, on every engine. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { obligationKey } from "../../../../src/checks/obligation.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { buyAnswer, signedFor } from "../../../fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../../fixtures/chain.ts"
import { longText } from "../../../fixtures/long-texts.ts"
import { newDatabaseOn, type TestDatabase } from "../../../fixtures/test-database.ts"
import { openTestServer, type TestServer } from "../../../fixtures/test-server.ts"
import { onEngines } from "../../../store/engine/on-engines.ts"
import { verificationBody } from "./reasons.ts"

setDefaultTimeout(60_000)
const PATH = "/v1/us/invoices/verify-payee"
const ENGINES = { SQLite: "sqlite", PostgreSQL: "postgres" } as const

onEngines(ENGINES)("a verification of the longest obligation id", (engine) => {
  let chain: Chain
  let database: TestDatabase
  let server: TestServer
  beforeAll(async () => {
    chain = await startChain()
    await chain.mint(DEV_ACCOUNTS.payer.address, 100_000_000n)
    database = await newDatabaseOn(engine)
    server = await openTestServer(database, chain)
  })
  afterAll(async () => {
    await server.close()
    await chain.stop()
    await database.close()
  })

  const buy = async (obligation_id: string, document: string) => {
    const invoice = { obligation_id, document_digest: digestOf(document) }
    const body = verificationBody(Date.now(), { invoice })
    const purchase = { path: PATH, body }
    return buyAnswer(server, purchase, await signedFor(server, purchase, DEV_ACCOUNTS.payer))
  }

  test("is delivered, and a later one for another document finds it by its whole key", async () => {
    const id = longText(512)
    const first = await buy(id, "first")
    expect([first.status, first.answer.decision]).toEqual([200, "APPROVE"])
    const second = await buy(id, "second")
    expect(second.answer.reason_codes).toContain("OBLIGATION_DOCUMENT_CHANGED")
    const stored = await database.rows<{ facts: string }>("SELECT facts_json AS facts FROM delivery")
    const earlier = stored.flatMap(({ facts }) => JSON.parse(facts).earlier_answers)
    expect(earlier).toMatchObject([{ obligation_key: obligationKey(id) }])
  })
})
