/** Challenges that revoke, or that the recovery key signs, do not count towards the caps (rulings 60). */

import { afterEach, beforeEach, expect } from "bun:test"
import type { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import { purgeExpired } from "../../../src/agent-mode/purge-expired.ts"
import { SHARED_CAPS } from "../../../src/store/free-writes/shared-caps.ts"
import { UNCOUNTED_PER_AGENT_MAX } from "../../../src/store/identity/agent-challenge.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import {
  CHALLENGES,
  challengeFor,
  type Enrolled,
  ending,
  enrolled,
  makeKey,
  openWithEnrolled,
  proofBy,
  recovery,
  recoveryRotation,
  revocation,
  rotation,
} from "./key-changes.ts"
import { codeOf, provePath, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

let service: Service
let agent: Enrolled
beforeEach(async () => {
  ;({ service, agent } = await openWithEnrolled())
})
afterEach(() => service.close())

test("these challenges are issued even when the caps of the address and the service are used up, and count towards neither", async () => {
  const open = async (body: object, from: string) => (await service.post(CHALLENGES, body, from)).status
  const insert = `INSERT INTO agent_challenge (challenge_id, state, client, event_json, challenge_digest, bad_proofs, issued_at, expires_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
       SELECT 'full ' || i, 'ISSUED', '192.0.2.7', '{}', 'd', 0, ?1, ?2 FROM n`
  const [from, until] = [service.clock.at, service.clock.at + 500_000].map((at) => new Date(at).toISOString())
  await service.write(insert, from ?? "", until ?? "")
  for (const share of ["ALL", "RESERVE"]) {
    await service.write("DELETE FROM shared_use WHERE cap = 'CHALLENGES' AND share = ?", share)
    await service.write(
      "INSERT INTO shared_use VALUES ('CHALLENGES', ?1, ?2, ?3, ?4)",
      share,
      service.clock.at - (service.clock.at % 600_000),
      share === "ALL" ? SHARED_CAPS.CHALLENGES.max : SHARED_CAPS.CHALLENGES.max / 10,
      service.clock.at,
    )
  }
  expect(await open(rotation(agent.agentId, agent.next), "192.0.2.7")).toBe(429)
  expect(await open(rotation(agent.agentId, agent.next), "192.0.2.8")).toBe(429)
  for (const body of [
    recovery(agent.agentId, makeKey()),
    recoveryRotation(agent.agentId, makeKey()),
    revocation(agent.agentId),
    ending(agent.agentId),
  ]) {
    expect(await open(body, "192.0.2.7")).toBe(201)
  }
  expect(await service.count("agent_challenge", "client IS NULL AND state = 'ISSUED'")).toBe(4)
})

test("the ninth challenge of one identity replaces its oldest, whoever requests it", async () => {
  const first = await challengeFor(service, revocation(agent.agentId))
  const others: AgentIdentityChallenge[] = []
  for (let i = 0; i < UNCOUNTED_PER_AGENT_MAX; i++) {
    service.clock.at += 1
    others.push(await challengeFor(service, recovery(agent.agentId, makeKey()), `198.51.100.${i}`))
  }
  const proof = proofBy(first, { OPERATIONAL: agent.operational })
  expect(await codeOf(await service.post(provePath(first), proof))).toBe("404 CHALLENGE_NOT_FOUND")
  expect(await issued()).toBe(8)
  const again = await challengeFor(service, revocation(agent.agentId))
  expect((await service.post(provePath(again), proofBy(again, { OPERATIONAL: agent.operational }))).status).toBe(200)
})

test("one address with many requests does not push out another's challenges, whoever requested them first", async () => {
  const owner = "192.0.2.44"
  const body = revocation(agent.agentId)
  const flood = async () => {
    for (let i = 0; i < 2 * UNCOUNTED_PER_AGENT_MAX; i++) {
      service.clock.at += 1
      await challengeFor(service, recovery(agent.agentId, makeKey()), "198.51.100.1")
    }
    service.clock.at += 60_000
  }
  await challengeFor(service, body, "198.51.100.1")
  await flood()
  const wanted = await challengeFor(service, body, owner)
  await flood()
  expect(await challengeFor(service, body, "198.51.100.1")).toEqual(wanted)
  await flood()
  expect((await service.post(provePath(wanted), proofBy(wanted, { OPERATIONAL: agent.operational }))).status).toBe(200)
  expect(await service.count("agent_challenge", "asked_by IS NOT NULL")).toBe(0)
})

test("a challenge that a stranger requested first becomes its owner's when the owner requests it", async () => {
  const body = revocation(agent.agentId)
  const first = await challengeFor(service, body, "198.51.100.1")
  await challengeFor(service, recovery(agent.agentId, makeKey()), "198.51.100.1")
  expect(await challengeFor(service, body, "192.0.2.44")).toEqual(first)
  for (let i = 0; i < 2 * UNCOUNTED_PER_AGENT_MAX; i++) {
    await challengeFor(service, recovery(agent.agentId, makeKey()), "198.51.100.1")
  }
  expect((await service.post(provePath(first), proofBy(first, { OPERATIONAL: agent.operational }))).status).toBe(200)
})

test("equal parameters give the same challenge while sixty seconds of it remain, then a new one", async () => {
  const body = revocation(agent.agentId, { mode: "RECOVERY" })
  const first = await challengeFor(service, body)
  service.clock.at += 540_000
  expect(await challengeFor(service, body, "198.51.100.9")).toEqual(first)
  expect(await challengeFor(service, { ...body, reason: "SUPERSEDED" })).not.toEqual(first)
  service.clock.at += 1
  const second = await challengeFor(service, body)
  expect(second.challenge.challenge_id).not.toBe(first.challenge.challenge_id)
  expect((await service.post(provePath(first), proofBy(first, { RECOVERY: agent.recovery }))).status).toBe(200)
})

test("fifty parallel equal requests get one challenge", async () => {
  const body = ending(agent.agentId)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => challengeFor(service, body, `198.51.100.${index}`)),
  )
  expect(new Set(answers.map(({ challenge_digest }) => challenge_digest)).size).toBe(1)
})

test("wrong proofs never lock these challenges, because strangers hold the same challenge", async () => {
  const challenge = await challengeFor(service, ending(agent.agentId))
  for (let i = 0; i < 20; i++) {
    const wrong = proofBy(challenge, { RECOVERY: { ...makeKey(), keyId: agent.recovery.keyId } })
    expect(await codeOf(await service.post(provePath(challenge), wrong))).toBe("422 PROOF_SIGNATURE_INVALID")
  }
  const right = proofBy(challenge, { RECOVERY: agent.recovery })
  expect((await service.post(provePath(challenge), right)).status).toBe(200)
})

test("a routine rotation counts like an enrolment, and five wrong proofs lock it", async () => {
  const challenge = await challengeFor(service, rotation(agent.agentId, agent.next), "192.0.2.50")
  const clients = await service.rows("SELECT client FROM agent_challenge WHERE state = 'ISSUED'")
  expect(clients).toEqual([{ client: "192.0.2.50" }])
  const wrong = proofBy(challenge, {
    OPERATIONAL: agent.operational,
    NEW_OPERATIONAL: { ...makeKey(), keyId: agent.next.keyId },
  })
  for (let i = 0; i < 5; i++) await service.post(provePath(challenge), wrong)
  expect(await codeOf(await service.post(provePath(challenge), wrong))).toBe("409 CHALLENGE_LOCKED")
})

const issued = () => service.count("agent_challenge", "state = 'ISSUED'")

test("the loop deletes expired challenges, also of identities without further requests", async () => {
  for (let i = 0; i < 3; i++) await challengeFor(service, recovery(agent.agentId, makeKey()))
  const other = await enrolled(service, "192.0.2.77")
  service.clock.at += 1_200_001
  await challengeFor(service, revocation(other.agentId))
  expect(await issued()).toBe(4)
  await purgeExpired({ store: service.store, now: () => service.clock.at })
  expect(await issued()).toBe(1)
})

test("expired challenges of an identity that are not yet deleted take no place of it", async () => {
  for (let i = 0; i < 8; i++) await challengeFor(service, recovery(agent.agentId, makeKey()))
  service.clock.at += 1_200_001
  for (let i = 0; i < 8; i++) await challengeFor(service, recovery(agent.agentId, makeKey()))
  expect(await issued()).toBe(16)
  await challengeFor(service, recovery(agent.agentId, makeKey()))
  expect(await issued()).toBe(16)
  expect(await service.count("agent_challenge", "expires_at > ?1", new Date(service.clock.at).toISOString())).toBe(8)
})
