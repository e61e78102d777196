/** SQLite runs parallel units in the order in which they arrive. PostgreSQL runs them in any order. */
import { expect, test } from "bun:test"
import { makeAgentKeys, proofOf } from "../../fixtures/agent.ts"
import { openService, provePath } from "./service.ts"

test("of fifty parallel different proofs, with the valid one among the first, exactly one succeeds", async () => {
  const service = await openService()
  const keys = makeAgentKeys()
  const challenge = await service.challenge(keys)
  const good = proofOf(challenge, keys)
  const bad = () => proofOf(challenge, { operational: keys.operational, recovery: makeAgentKeys().recovery })
  const proofs = Array.from({ length: 50 }, (_, index) => (index === 3 ? good : bad()))
  const answers = await Promise.all(proofs.map((proof) => service.post(provePath(challenge), proof)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.every(({ status }) => [200, 409, 422].includes(status))).toBe(true)
  expect(await Promise.all(["agent", "agent_key", "agent_event"].map((table) => service.count(table)))).toEqual([
    1, 2, 1,
  ])
  await service.close()
})
