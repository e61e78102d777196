/**
 * The server is killed repeatedly, at random moments, while agents enrol and rotate. Its files are always complete, the next server
 * starts on them, and an agent whose response was lost gets it again with the proof that it already signed.
 */
import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import type { AgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import type { AgentIdentityProofResult, ProveAgentIdentityChallenge } from "../../schemas/agent-id/proof.ts"
import { enrolmentRequest, makeAgentKeys, proofOf } from "../fixtures/agent.ts"
import { initialised, type Running, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { until } from "../fixtures/until.ts"
import { requireWholeHistories } from "../fixtures/whole-histories.ts"
import { commitmentTo, makeKey, proofBy, rotation } from "../products/agent-id/key-changes.ts"

setDefaultTimeout(60_000)

const ROUNDS = 6
const AGENTS = 6
const FLAGS = ["--base-url", "http://agents.example", "--rate-limits", "off", "--trusted-proxies", "127.0.0.1"]
const CHALLENGES = "/v1/agent-identities/challenges"

interface Sent {
  readonly challengeId: string
  readonly proof: ProveAgentIdentityChallenge
}

async function post<T>(origin: string, path: string, body: unknown, address: string): Promise<T> {
  const headers = { "content-type": "application/json", "x-forwarded-for": address }
  const response = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

const prove = (origin: string, { challengeId, proof }: Sent, address = "192.0.2.1") =>
  post<AgentIdentityProofResult>(origin, `${CHALLENGES}/${challengeId}/prove`, proof, address)

/**
 * Enrols and rotates, and records every proof before it is sent. Ends when the server does. Each agent has its own address, because the
 * challenges of killed agents stay outstanding and their number is limited for each address.
 */
async function live(origin: string, sent: Sent[], address: string): Promise<void> {
  const keys = makeAgentKeys()
  const next = makeKey()
  const change = async (body: unknown, sign: (challenge: AgentIdentityChallenge) => ProveAgentIdentityChallenge) => {
    const challenge = await post<AgentIdentityChallenge>(origin, CHALLENGES, body, address)
    const noted = { challengeId: challenge.challenge.challenge_id, proof: sign(challenge) }
    sent.push(noted)
    return prove(origin, noted, address)
  }
  const enrolment = { ...enrolmentRequest(keys), next_operational_key_digest: commitmentTo(next) }
  const { agent_id } = await change(enrolment, (challenge) => proofOf(challenge, keys))
  await change(rotation(agent_id, next), (challenge) =>
    proofBy(challenge, { OPERATIONAL: keys.operational, NEW_OPERATIONAL: next }),
  )
}

/** Kills the server as soon as `sent` has this many proofs, while other requests are on their way. */
async function killedAfter(server: Running, sent: readonly Sent[], proofs: number): Promise<void> {
  await until(`${proofs} proofs are sent`, () => sent.length >= proofs, { everyMs: 1 })
  await server.kill()
}

test("a server killed at random moments while agents enrol and rotate leaves complete histories, and every lost response is recovered", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const sent: Sent[] = []
  let cut = 0
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await serve(data, FLAGS)
    const agents = Array.from({ length: AGENTS }, (_, agent) => live(server.origin, sent, `192.0.2.${10 + agent}`))
    // Every agent sends two proofs, so requests are left to cut after any of these.
    const proofs = sent.length + 1 + Math.floor(Math.random() * (2 * AGENTS - 1))
    const [ends] = await Promise.all([Promise.allSettled(agents), killedAfter(server, sent, proofs)])
    cut += ends.filter(({ status }) => status === "rejected").length
    await requireWholeHistories(join(data, "bizauth.db"))
  }
  expect(cut).toBeGreaterThan(0)

  await using server = await serve(data, FLAGS)
  const before = await requireWholeHistories(join(data, "bizauth.db"))
  const results = await Promise.all(sent.map((each) => prove(server.origin, each)))
  expect(results.filter(({ replayed }) => replayed)).toHaveLength(before.events)
  expect(
    results.every(({ replayed }, index) => replayed === before.challengeIds.has(sent[index]?.challengeId ?? "")),
  ).toBe(true)
  const after = await requireWholeHistories(join(data, "bizauth.db"))
  expect(after.events).toBe(sent.length)
})
