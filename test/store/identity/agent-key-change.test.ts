import { afterEach, beforeEach, expect, test } from "bun:test"
import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import type { IdentityState } from "../../../src/core/identity-state.ts"
import { DAY } from "../../../src/core/time.ts"
import { findIdentity } from "../../../src/store/identity/agent-identity.ts"
import { acceptKeyEvent } from "../../../src/store/identity/agent-key-change.ts"
import { changedCaps, freeWriter } from "../../fixtures/free-writes.ts"
import {
  accepted,
  at,
  commitment,
  ENROLLED_AT,
  enrolment,
  keyEvent,
  negated,
  testKey,
} from "../../fixtures/key-events.ts"
import { type IdentityTestStore, identityTestStore } from "../identity-test-store.ts"

let testStore: IdentityTestStore
beforeEach(async () => {
  testStore = await identityTestStore()
})
afterEach(() => testStore.close())

const [K1, K2, K3, R1] = [testKey(1), testKey(2), testKey(3), testKey(101)]
const first = enrolment(K1, R1, commitment(K2))

function rotation(state: IdentityState, minutes: number, mode: "ROUTINE" | "RECOVERY" = "ROUTINE", to = K2): KeyEvent {
  const change = {
    ...({ kind: "ROTATE_OPERATIONAL", mode, replaces_key_id: K1.key_id } as const),
    authorized_by: [mode === "ROUTINE" ? "OPERATIONAL" : "RECOVERY", "NEW_OPERATIONAL"] as [
      "RECOVERY",
      "NEW_OPERATIONAL",
    ],
    ...(mode === "RECOVERY" && { compromise_suspected_since: at(1) }),
  }
  return keyEvent(state, minutes, change, { operational: to, recovery: R1 }, commitment(K3))
}

test("a rotation is stored with its event, its log leaf and the answer to its proof", async () => {
  const before = await testStore.enrolled("a", [1, 101], commitment(K2))
  const event = rotation(before, 20)
  await testStore.issue("b", event)
  expect(await testStore.accept(testStore.acceptance("b", before, event, 20))).toEqual({
    kind: "ACCEPTED",
    resultJson: '{"at":1}',
  })
  const after = accepted(before, event, 20)
  const { agentId } = before
  expect(await testStore.store.read(() => findIdentity(agentId))).toEqual({
    ...after,
    keys: after.keys.map((key) => ({ ...key, agentId })),
  })
  expect(await testStore.counts()).toEqual([1, 3, 2, 2])
  expect(await testStore.rows("SELECT sequence, receipt_json FROM agent_event ORDER BY sequence")).toEqual([
    { sequence: 0, receipt_json: '{"log_index":0}' },
    { sequence: 1, receipt_json: '{"log_index":1}' },
  ])
})

test("a claimed compromise, a revoked key and a revoked identity are read from the database as the rules made them", async () => {
  let state = await testStore.enrolled("a", [1, 101], commitment(K2))
  const revoke = (of: IdentityState): KeyEvent =>
    keyEvent(
      of,
      30,
      { kind: "REVOKE_OPERATIONAL", revokes_key_id: K3.key_id, reason: "SUPERSEDED", authorized_by: ["OPERATIONAL"] },
      { operational: null, recovery: R1 },
    )
  const end = (of: IdentityState): KeyEvent =>
    keyEvent(
      of,
      40,
      { kind: "REVOKE_IDENTITY", reason: "UNSPECIFIED", authorized_by: ["RECOVERY"] },
      { operational: null, recovery: null },
    )
  const steps: [number, (of: IdentityState) => KeyEvent][] = [
    [20, (of) => rotation(of, 20, "RECOVERY", K3)],
    [30, revoke],
    [40, end],
  ]
  for (const [minutes, make] of steps) {
    const event = make(state)
    await testStore.issue(`at ${minutes}`, event)
    await testStore.accept(testStore.acceptance(`at ${minutes}`, state, event, minutes))
    state = accepted(state, event, minutes)
    const found = await testStore.store.read(() => findIdentity(state.agentId))
    expect(found?.keys.map(({ agentId: _, ...key }) => key)).toEqual([...state.keys])
    expect(found).toMatchObject({ identityStatus: state.identityStatus, sequence: state.sequence })
  }
  expect(state.keys[0]).toMatchObject({ status: "REVOKED", compromisedSince: at(1), successorKeyId: K3.key_id })
})

test("an accepted event supersedes the other open challenges of its identity and of no other", async () => {
  const [before, other] = [
    await testStore.enrolled("a", [1, 101], commitment(K2)),
    await testStore.enrolled("x", [7, 107]),
  ]
  const event = rotation(before, 20)
  for (const id of ["b", "c", "d"]) await testStore.issue(id, event)
  await testStore.issue("y", rotation(other, 20))
  await testStore.write("UPDATE agent_challenge SET state = 'LOCKED' WHERE challenge_id = 'd'")
  await testStore.accept(testStore.acceptance("b", before, event, 20))
  expect(await testStore.states()).toEqual({
    a: "CONSUMED",
    b: "CONSUMED",
    c: "SUPERSEDED",
    d: "LOCKED",
    x: "CONSUMED",
    y: "ISSUED",
  })
  expect(await testStore.rows("SELECT client FROM agent_challenge WHERE challenge_id IN ('b', 'c')")).toEqual([
    { client: null },
    { client: null },
  ])
})

test("an event that fails at its last write stores nothing, and can be accepted again", async () => {
  await testStore.issue("a", first)
  // The last write gives the challenge its result, and the database refuses one without it.
  const finish = () => ({ receiptJson: "{}", resultJson: null as never })
  await expect(testStore.accept(testStore.acceptance("a", null, first, 0, { finish }))).rejects.toMatchObject({
    kind: "CHECK",
  })
  expect(await testStore.counts()).toEqual([0, 0, 0, 0])
  expect(await testStore.rows("SELECT state, client, result_json FROM agent_challenge")).toEqual([
    { state: "ISSUED", client: "192.0.2.1", result_json: null },
  ])
  expect((await testStore.accept(testStore.acceptance("a", null, first, 0))).kind).toBe("ACCEPTED")
  expect(await testStore.counts()).toEqual([1, 2, 1, 1])
})

test("an enrolment or change that stops between any two statements stores nothing", async () => {
  let statements = 0
  const cutAfter = (done: number, unit: () => ReturnType<typeof acceptKeyEvent>) =>
    testStore.store.run(function* () {
      const steps = unit()
      let step = steps.next()
      statements = 0
      for (; statements < done && !step.done; statements++) step = steps.next(yield step.value)
      throw new Error("killed")
    })
  const abandoned = async (unit: () => ReturnType<typeof acceptKeyEvent>, id: string) => {
    const before = await testStore.counts()
    for (let done = 1; done === statements + 1 || done === 1; done++) {
      // Not `rejects`: in a long test run it takes a tenth of a second each time, and this test needs about fifty.
      expect(await cutAfter(done, unit).catch(String)).toBe("Error: killed")
      expect(await testStore.counts()).toEqual(before)
      expect((await testStore.states())[id]).toBe("ISSUED")
      if (statements < done) return statements
    }
    return statements
  }
  await testStore.issue("a", first)
  const enrols = await abandoned(() => acceptKeyEvent(testStore.acceptance("a", null, first, 0)), "a")
  expect(enrols).toBeGreaterThan(10)
  await testStore.accept(testStore.acceptance("a", null, first, 0))
  const state = accepted(null, first, 0)
  const event = rotation(state, 20)
  await testStore.issue("b", event)
  expect(await abandoned(() => acceptKeyEvent(testStore.acceptance("b", state, event, 20)), "b")).toBeGreaterThan(10)
})

test("a refusal stores nothing: unknown, expired or consumed challenge, moved head, taken key, exhausted day", async () => {
  await testStore.issue("a", first)
  expect(await testStore.accept(testStore.acceptance("x", null, first, 0))).toEqual({
    kind: "NOT_OPEN",
    challenge: null,
  })
  await testStore.write("UPDATE agent_challenge SET expires_at = ?", at(0))
  expect(await testStore.accept(testStore.acceptance("a", null, first, 0))).toMatchObject({ kind: "NOT_OPEN" })
  await testStore.write("UPDATE agent_challenge SET expires_at = ?", at(9))
  expect(await testStore.counts()).toEqual([0, 0, 0, 0])
  await testStore.accept(testStore.acceptance("a", null, first, 0))
  const written = await testStore.counts()
  expect(await testStore.accept(testStore.acceptance("a", null, first, 0, { proofDigest: "other" }))).toMatchObject({
    kind: "NOT_OPEN",
    challenge: { state: "CONSUMED", proofDigest: "proof of a" },
  })

  const stale = rotation(accepted(null, first, 0), 20)
  await testStore.issue("b", stale)
  await testStore.write("UPDATE agent SET head_event_digest = 'moved'")
  expect(await testStore.accept(testStore.acceptance("b", accepted(null, first, 0), stale, 20))).toEqual({
    kind: "HEAD_MOVED",
  })

  for (const [id, keys, role] of [
    ["c", [K1, testKey(102)], "OPERATIONAL"],
    ["d", [testKey(4), negated(K1)], "RECOVERY"],
  ] as const) {
    const event = enrolment(keys[0], keys[1])
    await testStore.issue(id, event)
    expect(await testStore.accept(testStore.acceptance(id, null, event, 0))).toEqual({
      kind: "KEY_ALREADY_ENROLLED",
      role,
    })
  }
  const writer = freeWriter(ENROLLED_AT, { caps: changedCaps({ ENROLMENTS: { ofAddress: 1 } }) })
  const late = enrolment(testKey(5), testKey(105))
  await testStore.issue("e", late)
  expect(await testStore.accept(testStore.acceptance("e", null, late, 0, { writer }))).toEqual({
    kind: "NOT_ADMITTED",
    cap: "ENROLMENTS",
    whose: "ADDRESS",
    endsAt: Math.ceil(ENROLLED_AT / DAY) * DAY,
  })
  expect(await testStore.counts()).toEqual(written)
  expect(await testStore.states()).toMatchObject({ b: "ISSUED", c: "ISSUED", d: "ISSUED", e: "ISSUED" })
})

test("a new key of another identity is refused, and so is its negation", async () => {
  const before = await testStore.enrolled("a", [1, 101], commitment(K2))
  await testStore.enrolled("x", [2, 107])
  for (const [id, key] of [
    ["b", K2],
    ["c", negated(K2)],
  ] as const) {
    const event = rotation(before, 20, "RECOVERY", key)
    await testStore.issue(id, event)
    expect(await testStore.accept(testStore.acceptance(id, before, event, 20))).toEqual({
      kind: "KEY_ALREADY_ENROLLED",
      role: "OPERATIONAL",
    })
  }
})

test("of two parallel changes of one head one is accepted, and the other finds its challenge superseded", async () => {
  const before = await testStore.enrolled("a", [1, 101], commitment(K2))
  const [routine, recovery] = [rotation(before, 20), rotation(before, 20, "RECOVERY", K3)]
  await Promise.all([testStore.issue("b", routine), testStore.issue("c", recovery)])
  const outcomes = await Promise.all([
    testStore.accept(testStore.acceptance("b", before, routine, 20)),
    testStore.accept(testStore.acceptance("c", before, recovery, 20)),
  ])
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["ACCEPTED", "NOT_OPEN"])
  expect(await testStore.counts()).toEqual([1, 3, 2, 2])
})

test("a change of keys does not count as an enrolment of the day", async () => {
  const before = await testStore.enrolled("a", [1, 101], commitment(K2))
  const event = rotation(before, 20)
  await testStore.issue("b", event)
  const writer = freeWriter(ENROLLED_AT, { caps: changedCaps({ ENROLMENTS: { ofAddress: 1 } }) })
  expect((await testStore.accept(testStore.acceptance("b", before, event, 20, { writer }))).kind).toBe("ACCEPTED")
})
