/** While the disk is kept for sales, a flood of free calls writes nothing, and an agent that ends its keys gets through. */
import { afterEach, beforeEach, expect, setDefaultTimeout } from "bun:test"
import type { AgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import { freeWrites } from "../../src/http/free-writes.ts"
import { unlimited } from "../../src/http/rate-limit.ts"
import { freeBytes, MEGABYTE, spaceForFreeWrites } from "../../src/store/free-writes/free-disk.ts"
import { enrolmentRequest, makeAgentKeys, proofOf, type TestAgentKeys } from "../fixtures/agent.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { signedStatement } from "../fixtures/signed-statement.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { tableNames } from "../fixtures/table-names.ts"
import { CHALLENGES, proofBy, revocation } from "../products/agent-id/key-changes.ts"
import { codeOf, openService, provePath, type Service } from "../products/agent-id/service.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

let service: Service
let hasSpace = true
beforeEach(async () => {
  hasSpace = true
  service = await openService({ limiter: unlimited, freeWrites: freeWrites(() => hasSpace) })
})
afterEach(() => service.close())

interface Flooder {
  readonly keys: TestAgentKeys
  readonly agentId: string
  readonly address: string
  /** Asked for before the disk was full. */
  readonly open: { readonly challenge: AgentIdentityChallenge; readonly keys: TestAgentKeys }
}

async function flooder(address: string): Promise<Flooder> {
  const keys = makeAgentKeys()
  const enrolment = await service.challenge(keys, address)
  const proved = await service.post(provePath(enrolment), proofOf(enrolment, keys), address)
  const { agent_id: agentId } = (await proved.json()) as { agent_id: string }
  const next = makeAgentKeys()
  return { keys, agentId, address, open: { challenge: await service.challenge(next, address), keys: next } }
}

/** Number of rows of each table. */
const state = () => {
  const counts = tableNames().map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
  return service.row<Record<string, number>>(`SELECT ${counts.join(", ")}`)
}

test.each([
  ["200 identities at 200 addresses", 200, (n: number) => `203.0.113.${n}`],
  ["20 identities at 2 addresses", 20, (n: number) => `203.0.113.${n % 2}`],
] as const)("a flood of %s writes nothing, and a leaver gets through", async (_, size, addressOf) => {
  const flooders: Flooder[] = []
  for (let n = 0; n < size; n++) flooders.push(await flooder(addressOf(n)))
  const leaver = await flooder("198.51.100.1")
  hasSpace = false
  const before = await state()
  expect(before).toMatchObject({ agent: size + 1, agent_challenge: 2 * (size + 1) })
  const answers = await Promise.all(
    flooders.flatMap(({ keys, agentId, address, open }) => {
      const statement = signedStatement({ agentId, operational: keys.operational }, service.clock.at)
      return [
        service.post(CHALLENGES, enrolmentRequest(makeAgentKeys()), address),
        service.post(provePath(open.challenge), proofOf(open.challenge, open.keys), address),
        service.post("/v1/agent-id/artifacts", statement, address),
        service.post("/v1/agent-signatures/verify", { ...statement, replay_check: "RECORD" }, address),
      ]
    }),
  )
  expect(new Set(await Promise.all(answers.map(codeOf)))).toEqual(new Set(["503 DISK_RESERVED"]))
  expect(await state()).toEqual(before)
  // Observing records nothing.
  const seen = signedStatement({ agentId: leaver.agentId, operational: leaver.keys.operational }, service.clock.at)
  expect((await service.post("/v1/agent-signatures/verify", seen, leaver.address)).status).toBe(200)

  const challenge = (await (
    await service.post(CHALLENGES, revocation(leaver.agentId), leaver.address)
  ).json()) as AgentIdentityChallenge
  const ended = await service.post(
    provePath(challenge),
    proofBy(challenge, { OPERATIONAL: leaver.keys.operational, RECOVERY: leaver.keys.recovery }),
    leaver.address,
  )
  expect(ended.status).toBe(200)
})

test("the refusal says what still works and when to come again", async () => {
  hasSpace = false
  const answer = await service.post(CHALLENGES, enrolmentRequest(makeAgentKeys()), "203.0.113.1")
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "300"])
  expect(await answer.json()).toMatchObject({
    code: "DISK_RESERVED",
    reason_codes: ["CHALLENGES"],
    detail: "The disk is kept for what is sold. Reading, buying, recovering, revoking and leaving still work.",
    retryable: true,
  })
})

test("the floor of free writes is twice the one of sales, on the disk of the directory", () => {
  using fresh = freshDirectory()
  let at = 0
  const machine = { monotonic: () => at++ * 1_000 }
  expect(spaceForFreeWrites(fresh.path, 0, machine)()).toBe(true)
  expect(spaceForFreeWrites(fresh.path, 1_000_000_000, machine)()).toBe(false)
  const free = freeBytes(fresh.path) / MEGABYTE
  // Enough to sell, not enough to write for nothing.
  expect(spaceForFreeWrites(fresh.path, Math.floor(0.7 * free), machine)()).toBe(false)
  expect(spaceForFreeWrites(fresh.path, Math.floor(0.3 * free), machine)()).toBe(true)
})
