/** The transactions of an unpaid call. */
import { expect } from "bun:test"
import { answerTestServer } from "../fixtures/answer-test-server.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { enterBuyer, freshRequest } from "../fixtures/test-server.ts"
import { tap } from "../store/store-bench.ts"

const test = slowTests(import.meta.path)

test("an unpaid call opens two read views: one for the signing key, one for everything that the checks read", async () => {
  await using seller = await answerTestServer()
  const { server } = seller
  await enterBuyer(server)
  const said: string[] = []
  tap(databaseOf(server), (sql) => said.push(sql))
  const answer = await server.post(freshRequest())
  expect(answer.status).toBe(402)
  expect(said.filter((sql) => sql === "BEGIN")).toHaveLength(2)
  expect(said.filter((sql) => sql.startsWith("BEGIN "))).toEqual([])
})
