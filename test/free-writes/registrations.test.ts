/** A hundred identities register all they may from two addresses. Another agent still registers. */
import { afterEach, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { unlimited } from "../../src/http/rate-limit.ts"
import { signedStatement } from "../fixtures/signed-statement.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { newAgent, openService, type Service } from "../products/agent-id/service.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(180_000)

const PATH = "/v1/agent-id/artifacts"
const IDENTITIES = 100
const STATEMENTS = 100

let service: Service
beforeEach(async () => {
  service = await openService({ limiter: unlimited })
})
afterEach(() => service.close())

test("100 identities at 2 addresses cannot take the day's registrations", async () => {
  const flooders = []
  for (let at = 0; at < IDENTITIES; at++) flooders.push(await newAgent(service))
  const newcomer = await newAgent(service)
  const statuses = new Map<number, number>()
  for (let nonce = 0; nonce < STATEMENTS; nonce++) {
    const answers = await Promise.all(
      flooders.map((agent, at) =>
        service.post(PATH, signedStatement(agent, service.clock.at), `203.0.113.${1 + (at % 2)}`),
      ),
    )
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const answer = await service.post(PATH, signedStatement(newcomer, service.clock.at), "198.51.100.7")
  expect([answer.status, [...statuses.keys()].toSorted()]).toEqual([200, [200, 429]])
})
