import { afterEach, beforeEach, expect, test } from "bun:test"
import type { Store } from "../../../src/store/engine/unit.ts"
import {
  BAD_PROOFS_MAX,
  type CountedChallenge,
  challengeById,
  issueChallenge,
  purgeAgentChallenges,
  recordBadProof,
} from "../../../src/store/identity/agent-challenge.ts"
import { changedCaps, freeWriter } from "../../fixtures/free-writes.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"

let opened: TestStore
let store: Store
beforeEach(async () => {
  opened = await newStore()
  store = opened.store
})
afterEach(() => opened.close())

const minute = (m: number) => `2026-03-01T12:${String(m).padStart(2, "0")}:00.000Z`
const row = (id: string, changes: Partial<CountedChallenge> = {}): CountedChallenge => ({
  challengeId: id,
  agentId: null,
  client: "192.0.2.1",
  eventJson: "{}",
  challengeDigest: "sha256:c",
  issuedAt: minute(10),
  expiresAt: minute(20),
  perClientMax: 20,
  writer: freeWriter(Date.parse(minute(10)), { client: changes.client ?? "192.0.2.1" }),
  ...changes,
})
const issue = (challenge: CountedChallenge) => store.run(() => issueChallenge(challenge))
const count = () => opened.count("agent_challenge")

test("parallel issuing never exceeds the cap of one address", async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => issue(row(`c${index}`))))
  expect(outcomes.filter(({ kind }) => kind === "ISSUED")).toHaveLength(20)
  expect(outcomes.at(-1)).toEqual({ kind: "CLIENT_CAP", nextExpiry: minute(20) })
  expect(await count()).toBe(20)
})

test("the cap over all addresses says when its window ends, and keeps a tenth for new ones", async () => {
  const caps = changedCaps({ CHALLENGES: { max: 100 } })
  const at = (client: string, m = 10) => ({ client, writer: freeWriter(Date.parse(minute(m)), { client, caps }) })
  for (let i = 0; i < 50; i++) await issue(row(`c${i}`, at(`192.0.2.${i}`)))
  for (let i = 0; i < 40; i++) await issue(row(`d${i}`, at(`192.0.2.${100 + i}`)))
  expect(await issue(row("over", at("192.0.2.1")))).toEqual({
    kind: "NOT_ADMITTED",
    cap: "CHALLENGES",
    whose: "ALL",
    endsAt: Date.parse(minute(20)),
  })
  expect(await issue(row("new", at("198.51.100.1")))).toEqual({ kind: "ISSUED" })
  expect((await issue(row("again", at("198.51.100.1")))).kind).toBe("NOT_ADMITTED")
  expect(await issue(row("later", { ...at("192.0.2.1", 20), issuedAt: minute(20), expiresAt: minute(30) }))).toEqual({
    kind: "ISSUED",
  })
})

test("a purge removes challenges that expired before it and keeps consumed ones; issuing removes none", async () => {
  await Promise.all([issue(row("old")), issue(row("kept", { expiresAt: minute(40) })), issue(row("consumed"))])
  await opened.write(
    "UPDATE agent_challenge SET state = 'CONSUMED', client = NULL, proof_digest = 'p', result_json = '{}' WHERE challenge_id = 'consumed'",
  )
  await issue(row("new", { issuedAt: minute(35), expiresAt: minute(45) }))
  expect(await count()).toBe(4)
  expect(await store.run(() => purgeAgentChallenges(minute(25)))).toBe(1)
  expect(await store.read(() => challengeById("old"))).toBeNull()
  expect(await store.read(() => challengeById("kept"))).not.toBeNull()
  expect(await store.read(() => challengeById("consumed"))).toMatchObject({ state: "CONSUMED", resultJson: "{}" })
})

test("a purge removes a limited number of challenges, and an expired one leaves no place taken", async () => {
  for (let i = 0; i < 95; i++) await issue(row(`c${i}`, { client: `192.0.2.${i}` }))
  const late = { client: "192.0.2.1", issuedAt: minute(40), expiresAt: minute(50), perClientMax: 1 }
  expect((await issue(row("late-1", late))).kind).toBe("ISSUED")
  expect((await issue(row("late-2", late))).kind).toBe("CLIENT_CAP")
  expect(await store.run(() => purgeAgentChallenges(minute(30)))).toBe(64)
  expect(await count()).toBe(32)
  expect(await store.run(() => purgeAgentChallenges(minute(30)))).toBe(31)
  expect(await store.run(() => purgeAgentChallenges(minute(30)))).toBe(0)
  expect(await count()).toBe(1)
})

test("the fifth bad proof locks a challenge; a locked or unknown challenge does not change", async () => {
  await issue(row("a"))
  const states: (string | undefined)[] = []
  for (let i = 0; i <= BAD_PROOFS_MAX; i++) {
    await store.run(() => recordBadProof("a"))
    states.push((await store.read(() => challengeById("a")))?.state)
  }
  expect(states).toEqual(["ISSUED", "ISSUED", "ISSUED", "ISSUED", "LOCKED", "LOCKED"])
  expect(await opened.rows("SELECT bad_proofs FROM agent_challenge")).toEqual([{ bad_proofs: 5 }])
  await store.run(() => recordBadProof("unknown"))
  expect(await count()).toBe(1)
})
