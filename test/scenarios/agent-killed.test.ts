/**
 * The server is killed repeatedly, at random moments, while agents enrol and rotate. Its files are always complete, the next server
 * starts on them, and an agent whose response was lost gets it again with the proof that it already signed.
 */
import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import type { AgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import type { AgentIdentityProofResult, ProveAgentIdentityChallenge } from "../../schemas/agent-id/proof.ts"
import { enrolmentRequest, makeAgentKeys, proofOf } from "../fixtures/agent.ts"
import { type Running, run, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { requireWholeHistories } from "../fixtures/whole-histories.ts"
import { commitmentTo, makeKey, proofBy, rotation } from "../products/agent-id/key-changes.ts"

setDefaultTimeout(60_000)

const ROUNDS = 6
const AGENTS = 6
const FLAGS = ["--base-url", "http://agents.example", "--rate-limits", "off"]
const CHALLENGES = "/v1/agent-identities/challenges"

interface Sent {
  readonly challengeId: string
  readonly proof: ProveAgentIdentityChallenge
}

async function post<T>(origin: string, path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

const prove = (origin: string, { challengeId, proof }: Sent) =>
  post<AgentIdentityProofResult>(origin, `${CHALLENGES}/${challengeId}/prove`, proof)

/** Enrols and rotates, and records every proof before it is sent. Ends when the server does. */
async function live(origin: string, sent: Sent[]): Promise<void> {
  const keys = makeAgentKeys()
  const next = makeKey()
  const change = async (body: unknown, sign: (challenge: AgentIdentityChallenge) => ProveAgentIdentityChallenge) => {
    const challenge = await post<AgentIdentityChallenge>(origin, CHALLENGES, body)
    const noted = { challengeId: challenge.challenge.challenge_id, proof: sign(challenge) }
    sent.push(noted)
    return prove(origin, noted)
  }
  const enrolment = { ...enrolmentRequest(keys), next_operational_key_digest: commitmentTo(next) }
  const { agent_id } = await change(enrolment, (challenge) => proofOf(challenge, keys))
  await change(rotation(agent_id, next), (challenge) =>
    proofBy(challenge, { OPERATIONAL: keys.operational, NEW_OPERATIONAL: next }),
  )
}

async function killedIn(server: Running, milliseconds: number): Promise<void> {
  await Bun.sleep(milliseconds)
  await server.kill()
}

test("a server killed at random moments while agents enrol and rotate leaves complete histories, and every lost response is recovered", async () => {
  using fresh = freshDirectory()
  const data = join(fresh.path, "data")
  expect((await run(["init", "--data", data, "--environment", "test"])).exit).toBe(0)
  const sent: Sent[] = []
  let cut = 0
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await serve(data, FLAGS)
    const agents = Array.from({ length: AGENTS }, () => live(server.origin, sent))
    const [ends] = await Promise.all([Promise.allSettled(agents), killedIn(server, 20 + Math.random() * 120)])
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
