import { afterEach, beforeEach, expect, test } from "bun:test"
import { findActiveOperationalKey, findAgentKey, findIdentity } from "../../../src/store/identity/agent-identity.ts"
import { at, testKey } from "../../fixtures/key-events.ts"
import { type IdentityTestStore, identityTestStore } from "../identity-test-store.ts"

let testStore: IdentityTestStore
beforeEach(async () => {
  testStore = await identityTestStore()
})
afterEach(() => testStore.close())

test("an enrolled identity is found complete, and each of its keys by agent id and key id", async () => {
  const state = await testStore.enrolled("a", [1, 101], `sha256:${"0".repeat(64)}`)
  const [operational, recovery] = state.keys.map((key) => ({ ...key, agentId: state.agentId }))
  if (!operational || !recovery) throw new Error("two keys")
  const key = (keyId: string) => testStore.store.read(() => findAgentKey(state.agentId, keyId))
  expect(await key(operational.keyId)).toEqual({ ...operational, identityStatus: "ACTIVE" })
  expect(await key(recovery.keyId)).toEqual({ ...recovery, identityStatus: "ACTIVE" })
  expect(await testStore.store.read(() => findActiveOperationalKey(state.agentId))).toEqual(operational)
  expect(await testStore.store.read(() => findIdentity(state.agentId))).toEqual({
    ...state,
    keys: [operational, recovery],
  })
})

test("a key of another agent, an unknown key and an unknown agent give null", async () => {
  const [one, two] = [await testStore.enrolled("a", [1, 101]), await testStore.enrolled("b", [2, 102])]
  const foreign = two.keys[0]?.keyId ?? ""
  expect(await testStore.store.read(() => findAgentKey(one.agentId, foreign))).toBeNull()
  expect(await testStore.store.read(() => findAgentKey(one.agentId, testKey(9).key_id))).toBeNull()
  expect(await testStore.store.read(() => findActiveOperationalKey("svc:agent:x"))).toBeNull()
  expect(await testStore.store.read(() => findIdentity("svc:agent:x"))).toBeNull()
})

test("the active operational key is never a rotated, revoked or recovery key", async () => {
  const { agentId } = await testStore.enrolled("a", [1, 101])
  const { key_id: keyId } = testKey(1)
  for (const status of ["ROTATED", "REVOKED"] as const) {
    await testStore.write("UPDATE agent_key SET status = ?, until = ? WHERE key_id = ?", status, at(9), keyId)
    expect(await testStore.store.read(() => findActiveOperationalKey(agentId))).toBeNull()
    expect(await testStore.store.read(() => findAgentKey(agentId, keyId))).toMatchObject({ status, until: at(9) })
  }
})
