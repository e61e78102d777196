/** A process killed while it accepts a proof leaves event, leaf, map entry and consumed challenge all together, or none of them. */
import { Database } from "bun:sqlite"
import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import type { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { AgentIdentityProofResult, ProveAgentIdentityChallenge } from "../../../schemas/agent-id/proof.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { routes } from "../../../src/server/app.ts"
import { enrolmentRequest, makeAgentKeys, proofOf } from "../../fixtures/agent.ts"
import { atLength, SEED } from "../../fixtures/long.ts"
import { BASE_URL, testService } from "../../fixtures/service.ts"
import { requireWholeHistories } from "../../fixtures/whole-histories.ts"
import { commitmentTo, makeKey, proofBy, rotation } from "../../products/agent-id/key-changes.ts"
import type { ProvingProcess } from "./proving-process.ts"

setDefaultTimeout(60_000)

/** Statements between two kills, and the first one that is killed. */
const EVERY = atLength(9, 3)
const START = atLength(SEED % EVERY, 0)

async function proving(given: ProvingProcess): Promise<{ killed: boolean; status: number; body: unknown }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "proving-process.ts")], {
    stdin: Buffer.from(JSON.stringify(given)),
    stdout: "pipe",
    stderr: "inherit",
  })
  const out = await new Response(child.stdout).text()
  await child.exited
  if (child.signalCode === "SIGKILL") return { killed: true, status: 0, body: null }
  return { killed: false, ...(JSON.parse(out) as { status: number; body: unknown }) }
}

/** A directory with an enrolled agent, and open challenges with their proofs: one that enrols, one that rotates. */
async function prepared() {
  const opened = await testService(realMachine)
  const app = routes(opened.service)
  const headers = { "content-type": "application/json" }
  const post = async <T>(path: string, body: unknown) => {
    const request = new Request(BASE_URL + path, { method: "POST", headers, body: JSON.stringify(body) })
    return (await (await app.handle(request)).json()) as T
  }
  const challenge = (body: unknown) => post<AgentIdentityChallenge>("/v1/agent-identities/challenges", body)
  const provePath = (of: AgentIdentityChallenge) => `/v1/agent-identities/challenges/${of.challenge.challenge_id}/prove`
  const [keys, next, fresh] = [makeAgentKeys(), makeKey(), makeAgentKeys()]
  const first = await challenge({ ...enrolmentRequest(keys), next_operational_key_digest: commitmentTo(next) })
  const { agent_id } = await post<AgentIdentityProofResult>(provePath(first), proofOf(first, keys))
  const [enrols, rotates] = [await challenge(enrolmentRequest(fresh)), await challenge(rotation(agent_id, next))]
  const rows: Record<string, { path: string; proof: ProveAgentIdentityChallenge; id: string }> = {
    enrols: { path: provePath(enrols), proof: proofOf(enrols, fresh), id: enrols.challenge.challenge_id },
    rotates: {
      path: provePath(rotates),
      proof: proofBy(rotates, { OPERATIONAL: keys.operational, NEW_OPERATIONAL: next }),
      id: rotates.challenge.challenge_id,
    },
  }
  return { opened, database: join(opened.directory, "bizauth.db"), rows }
}

test.each(["enrols", "rotates"])(
  `a process killed at one in ${EVERY} statements of a proof that %s leaves a complete history`,
  async (kind) => {
    const { opened, database, rows } = await prepared()
    await using _ = opened
    const row = rows[kind] ?? expect.unreachable()
    const given = { directory: opened.directory, baseUrl: BASE_URL, path: row.path, body: row.proof }
    const before = await requireWholeHistories(database)
    let killed = 0
    for (let killAt = START; ; killAt += EVERY) {
      // Beyond the last statement of the unit the process lives, and the proof is accepted.
      if (!(await proving({ ...given, killAt })).killed) break
      killed++
      const after = await requireWholeHistories(database)
      expect(after).toEqual(before)
      expect(after.challengeIds.has(row.id)).toBe(false)
    }
    expect(killed).toBeGreaterThan(atLength(1, 3))
    const again = await proving({ ...given, killAt: null })
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ replayed: true })
    expect(await requireWholeHistories(database)).toMatchObject({
      events: before.events + 1,
      treeSize: before.treeSize + 1,
    })
  },
)

test.each(["enrols", "rotates"])(
  "a proof that %s, whose process is killed after the commit and before the response, gets its response next time",
  async (kind) => {
    const { opened, database, rows } = await prepared()
    await using _ = opened
    const row = rows[kind] ?? expect.unreachable()
    const given = { directory: opened.directory, baseUrl: BASE_URL, path: row.path, body: row.proof }
    const before = await requireWholeHistories(database)
    expect((await proving({ ...given, killAt: "COMMITTED" })).killed).toBe(true)
    const after = await requireWholeHistories(database)
    expect(after.challengeIds.has(row.id)).toBe(true)
    expect([after.events, after.treeSize]).toEqual([before.events + 1, before.treeSize + 1])
    const again = await proving({ ...given, killAt: null })
    expect([again.status, (again.body as AgentIdentityProofResult).replayed]).toEqual([200, true])
    expect(await requireWholeHistories(database)).toEqual(after)
  },
)

/** The checker must find faults: the test deletes each part by hand, and the checker must report it. */
test.each([
  ["the leaf", "DELETE FROM log_leaf WHERE log_index = (SELECT max(log_index) FROM log_leaf)", "no leaf"],
  ["the map entry", "DELETE FROM log_map_entry", "not in the map"],
  ["the consumed challenge", "DELETE FROM agent_challenge", "consumed challenges and events"],
  ["the event", "DELETE FROM agent_event", "consumed challenges and events"],
  ["a key", "DELETE FROM agent_key WHERE role = 'OPERATIONAL'", "and its history"],
  ["the head", "UPDATE agent SET sequence = 1", "and its history"],
])("the checker reports a history without %s as incomplete", async (_what, spoil, missed) => {
  const { opened, database } = await prepared()
  await using _opened = opened
  const file = new Database(database)
  file.run("PRAGMA foreign_keys = OFF")
  file.run(spoil)
  file.close()
  await expect(requireWholeHistories(database)).rejects.toThrow(missed)
})
