/**
 * Agents of the benchmark. They enrol through the two real calls, each from its own address, because an address may enrol 200 agents a day.
 */
import type { AgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import { enrolmentRequest, makeAgentKeys, proofOf, type TestAgent } from "../../test/fixtures/agent.ts"

const CHALLENGES = "/v1/agent-identities/challenges"

export interface Pairs {
  readonly perSecond: number
  readonly answers: number
  readonly times: readonly number[]
}

/** The service must trust 127.0.0.1 as a proxy. */
export async function enrolAgents(origin: string, count: number, connections: number): Promise<TestAgent[]> {
  const agents: TestAgent[] = []
  let left = count
  await together(connections, async () => {
    while (left-- > 0) agents.push(await enrolOne(origin))
  })
  return agents
}

/** Sends challenge and proof, one pair after the other on each connection. The time includes signing and all other client work. */
export async function measurePairs(origin: string, connections: number, milliseconds: number): Promise<Pairs> {
  const times: number[] = []
  const started = performance.now()
  await together(connections, async () => {
    while (performance.now() - started < milliseconds) {
      const sent = performance.now()
      await enrolOne(origin)
      times.push(performance.now() - sent)
    }
  })
  return { perSecond: times.length / ((performance.now() - started) / 1000), answers: times.length, times }
}

async function enrolOne(origin: string): Promise<TestAgent> {
  const keys = makeAgentKeys()
  const from = nextAddress()
  const requests = (await post(origin + CHALLENGES, enrolmentRequest(keys), from, 201)) as AgentIdentityChallenge
  const proved = await post(
    `${origin}${CHALLENGES}/${requests.challenge.challenge_id}/prove`,
    proofOf(requests, keys),
    from,
    200,
  )
  return { ...keys, agentId: (proved as { agent_id: string }).agent_id }
}

async function post(uri: string, body: unknown, from: string, status: number): Promise<unknown> {
  const headers = { "content-type": "application/json", "x-forwarded-for": from }
  const answer = await fetch(uri, { method: "POST", headers, body: JSON.stringify(body) })
  if (answer.status !== status) throw new Error(`${uri} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

let addresses = 0

function nextAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

function together(connections: number, work: () => Promise<void>): Promise<unknown> {
  return Promise.all(Array.from({ length: connections }, work))
}
