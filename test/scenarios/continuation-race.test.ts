/** One continuation of planning, two servers of one data directory: one request uses it, whatever server answers. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { planningOperations } from "../../schemas/agent-mode/planning-operations.ts"
import { formatInstant } from "../../src/core/time.ts"
import { intentBody } from "../agent-mode/planning/planning-service.ts"
import { initialised, type Running, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { SCENARIO_MS } from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

const ROUNDS = 12
const REQUESTS = 8
const FLAGS = ["--rate-limits", "off", "--agent-mode-planning", "on", "--base-url", "https://svc.example"]

const folder = freshDirectory()
let servers: Running[] = []

beforeAll(async () => {
  const data = await initialised(folder.path)
  servers = await Promise.all([serve(data, FLAGS), serve(data, FLAGS)])
})
afterAll(async () => {
  for (const server of servers) await server.kill()
  folder[Symbol.dispose]()
})

async function ask(server: number, path: string, body: object) {
  const answer = await fetch((servers[server % servers.length]?.origin ?? "") + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, code: (JSON.parse(text) as { code?: string }).code }
}

test("of requests that differ, sent to both servers at once, exactly one uses a continuation, and only it is answered again", async () => {
  const { readiness, preflight, routes } = planningOperations
  const winners = new Set<number>()
  for (let round = 0; round < ROUNDS; round++) {
    const intent = intentBody({
      intent: "REDEEM_US_TOKEN",
      input_digests: {},
      freshness_requirements: { max_age_seconds: 60, evaluated_at: formatInstant(Date.now()) },
      idempotency_key: `race-of-round-${round}`,
    })
    const ready = await ask(round, readiness.path, intent)
    const { payload } = JSON.parse(ready.text) as { payload: { continuation: { token: string } } }
    const continuation = { token: payload.continuation.token }
    // Two operations, and requests that differ in one member.
    const sent = Array.from({ length: REQUESTS }, (_, n) => ({
      server: n + round,
      path: n < REQUESTS / 2 ? preflight.path : routes.path,
      body: { ...intent, continuation, idempotency_key: `request-${n % (REQUESTS / 2)}` },
    }))
    const told = await Promise.all(sent.map(({ server, path, body }) => ask(server, path, body)))
    const winner = told.findIndex(({ status }) => status === 200)
    expect(told.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(told.filter(({ code }) => code === "CONTINUATION_REPLAY")).toHaveLength(REQUESTS - 1)
    winners.add((winner + round) % 2)
    for (const [n, { server, path, body }] of sent.entries()) {
      const again = await ask(server + 1, path, body)
      if (n === winner) expect(again.text).toBe(told[n]?.text ?? "")
      else expect(again.code).toBe("CONTINUATION_REPLAY")
    }
  }
  // Otherwise it was no race.
  expect(winners.size).toBe(2)
})
