import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import type { SigningRole } from "../../../schemas/agent-id/key-event.ts"
import { AgentIdentityProofResult } from "../../../schemas/agent-id/proof.ts"
import type { SigningKey } from "../../../src/agent/keys.ts"
import { canonicalBytes, canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { verifySignature } from "../../../src/core/ed25519.ts"
import { compile } from "../../../src/http/read-body.ts"
import {
  challengeFor,
  change,
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

let service: Service
let agent: Enrolled
beforeEach(async () => {
  ;({ service, agent } = await openWithEnrolled())
})
afterEach(() => service.close())

const self = (document: string) => `/v1/agent-identities/${agent.agentId}/${document}`
const published = async () => {
  const { keys } = (await (await service.get(self("jwks.json"))).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}
const told = async () => {
  const { payload } = (await (await service.get(self("status"))).json()) as {
    payload: {
      identity_status: string
      sequence: number
      head_event_digest: string
      keys: { key_id: string; status: string }[]
    }
  }
  return { ...payload, keys: Object.fromEntries(payload.keys.map(({ key_id, status }) => [key_id, status])) }
}

describe("each change has its result, and profile, status and jwks show it immediately", () => {
  const fresh = makeKey()
  type Signers = Partial<Record<SigningRole, SigningKey>>
  type Row = readonly [
    string,
    (of: Enrolled) => readonly [object, Signers],
    Pick<AgentIdentityProofResult, "result" | "next_machine_action">,
    (of: Enrolled) => { published: string[]; keys: Record<string, string>; identity?: string },
  ]
  const rows: readonly Row[] = [
    [
      "a routine rotation",
      (of) => [rotation(of.agentId, of.next), { OPERATIONAL: of.operational, NEW_OPERATIONAL: of.next }],
      { result: "ROTATED", next_machine_action: "SIGN_REQUESTS_WITH_NEW_OPERATIONAL_KEY" },
      (of) => ({
        published: [of.next.keyId],
        keys: { [of.operational.keyId]: "ROTATED", [of.recovery.keyId]: "ACTIVE", [of.next.keyId]: "ACTIVE" },
      }),
    ],
    [
      "a recovery",
      (of) => [recovery(of.agentId, fresh), { RECOVERY: of.recovery, NEW_OPERATIONAL: fresh }],
      { result: "ROTATED", next_machine_action: "SIGN_REQUESTS_WITH_NEW_OPERATIONAL_KEY" },
      (of) => ({
        published: [fresh.keyId],
        keys: { [of.operational.keyId]: "ROTATED", [of.recovery.keyId]: "ACTIVE", [fresh.keyId]: "ACTIVE" },
      }),
    ],
    [
      "a recovery from a compromise",
      (of) => [
        recovery(of.agentId, fresh, { compromise_suspected_since: "2026-03-01T12:00:08.000Z" }),
        { RECOVERY: of.recovery, NEW_OPERATIONAL: fresh },
      ],
      { result: "ROTATED", next_machine_action: "SIGN_REQUESTS_WITH_NEW_OPERATIONAL_KEY" },
      (of) => ({
        published: [fresh.keyId],
        keys: { [of.operational.keyId]: "REVOKED", [of.recovery.keyId]: "ACTIVE", [fresh.keyId]: "ACTIVE" },
      }),
    ],
    [
      "a new recovery key",
      (of) => [recoveryRotation(of.agentId, fresh), { RECOVERY: of.recovery, NEW_RECOVERY: fresh }],
      { result: "ROTATED", next_machine_action: "KEEP_NEW_RECOVERY_KEY_OFFLINE" },
      (of) => ({
        published: [of.operational.keyId],
        keys: { [of.operational.keyId]: "ACTIVE", [of.recovery.keyId]: "ROTATED", [fresh.keyId]: "ACTIVE" },
      }),
    ],
    [
      "a revocation",
      (of) => [revocation(of.agentId), { OPERATIONAL: of.operational }],
      { result: "REVOKED", next_machine_action: "ROTATE_OPERATIONAL_KEY_WITH_RECOVERY_KEY" },
      (of) => ({ published: [], keys: { [of.operational.keyId]: "REVOKED", [of.recovery.keyId]: "ACTIVE" } }),
    ],
    [
      "the end of the identity",
      (of) => [ending(of.agentId), { RECOVERY: of.recovery }],
      { result: "REVOKED", next_machine_action: "ENROLL_NEW_IDENTITY" },
      (of) => ({
        ...{ published: [], identity: "REVOKED" },
        keys: { [of.operational.keyId]: "REVOKED", [of.recovery.keyId]: "REVOKED" },
      }),
    ],
  ]
  test.each(rows)("%s", async (_what, request, result, expected) => {
    const answer = await change(service, ...request(agent))
    const { published: kids, keys, identity = "ACTIVE" } = expected(agent)
    expect([...compile(AgentIdentityProofResult).Errors(answer)]).toEqual([])
    expect(answer).toMatchObject({ ...result, replayed: false, agent_id: agent.agentId })
    expect(answer.event).toMatchObject({ sequence: 1, accepted_at: "2026-03-01T12:00:08.250Z", log_index: 1 })
    expect(answer.profile.identity_status).toBe(identity as "ACTIVE")
    expect(answer.profile).toEqual(
      (await (await service.get(`/v1/agent-identities/${agent.agentId}`)).json()) as typeof answer.profile,
    )
    expect(await published()).toEqual(kids)
    expect(await told()).toMatchObject({
      ...{ identity_status: identity, sequence: 1, head_event_digest: answer.event.event_digest, keys },
    })
    const { payload, digest, signature } = answer.receipt
    expect(payload).toMatchObject(answer.event)
    expect(digest).toBe(digestOf(payload))
    expect(verifySignature(service.serviceX, canonicalBytes(payload), signature.value)).toBe(true)
  })
})

test("an identity can rotate, recover from a compromise, revoke, recover again, get a new recovery key, and end", async () => {
  const [second, third, lastRecovery] = [makeKey(), makeKey(), makeKey()]
  const { agentId, recovery: first, operational, next } = agent
  const results: AgentIdentityProofResult[] = []
  const step = async (body: object, signers: Partial<Record<SigningRole, SigningKey>>) => {
    service.clock.at += 60_000
    results.push(await change(service, body, signers))
  }
  await step(rotation(agentId, next), { OPERATIONAL: operational, NEW_OPERATIONAL: next })
  const compromise = { compromise_suspected_since: new Date(service.clock.at + 1000).toISOString() }
  await step(recovery(agentId, second, compromise), { RECOVERY: first, NEW_OPERATIONAL: second })
  await step(revocation(agentId), { OPERATIONAL: second })
  await step(recovery(agentId, third), { RECOVERY: first, NEW_OPERATIONAL: third })
  await step(recoveryRotation(agentId, lastRecovery), { RECOVERY: first, NEW_RECOVERY: lastRecovery })
  await step(ending(agentId), { RECOVERY: lastRecovery })
  expect(results.map(({ event }) => [event.sequence, event.log_index])).toEqual([1, 2, 3, 4, 5, 6].map((n) => [n, n]))
  expect(await published()).toEqual([])
  const events = await service.rows<{ event_json: string; event_digest: string }>(
    "SELECT event_json, event_digest FROM agent_event WHERE agent_id = ? ORDER BY sequence",
    agentId,
  )
  let previous: string | null = null
  for (const { event_json, event_digest } of events) {
    const event = JSON.parse(event_json) as { previous_event_digest: string | null }
    expect(event.previous_event_digest).toBe(previous)
    expect(digestOf(event)).toBe(event_digest as never)
    previous = event_digest
  }
  expect(await service.count("log_leaf")).toBe(7)
})

test("the same proof again gets the same response, marked as replayed, even after later changes of the identity", async () => {
  const challenge = await challengeFor(service, rotation(agent.agentId, agent.next))
  const proof = proofBy(challenge, { OPERATIONAL: agent.operational, NEW_OPERATIONAL: agent.next })
  const first = (await (await service.post(provePath(challenge), proof)).json()) as AgentIdentityProofResult
  await change(service, ending(agent.agentId), { RECOVERY: agent.recovery })
  const again = await service.post(provePath(challenge), { ...proof, signatures: proof.signatures.toReversed() })
  expect(await again.text()).toBe(canonicalize({ ...first, replayed: true }))
  expect(await service.count("agent_event")).toBe(3)
  const other = proofBy(challenge, { OPERATIONAL: makeKey(), NEW_OPERATIONAL: agent.next })
  expect(await codeOf(await service.post(provePath(challenge), other))).toBe("409 CHALLENGE_REPLAY")
})

test("an event supersedes the identity's other open challenges, and none of other identities", async () => {
  const other = await enrolled(service)
  const [routine, end, foreign] = [
    await challengeFor(service, rotation(agent.agentId, agent.next)),
    await challengeFor(service, ending(agent.agentId)),
    await challengeFor(service, rotation(other.agentId, other.next)),
  ]
  await change(service, revocation(agent.agentId), { OPERATIONAL: agent.operational })
  const rotate = (of: Enrolled) => ({ OPERATIONAL: of.operational, NEW_OPERATIONAL: of.next })
  expect(await codeOf(await service.post(provePath(routine), proofBy(routine, rotate(agent))))).toBe(
    "409 CHALLENGE_SUPERSEDED",
  )
  expect(await codeOf(await service.post(provePath(end), proofBy(end, { RECOVERY: agent.recovery })))).toBe(
    "409 CHALLENGE_SUPERSEDED",
  )
  expect((await service.post(provePath(foreign), proofBy(foreign, rotate(other)))).status).toBe(200)
})

test("a challenge kept in memory while another event was accepted is superseded, whatever its row says", async () => {
  const challenge = await challengeFor(service, ending(agent.agentId))
  await change(service, revocation(agent.agentId), { OPERATIONAL: agent.operational })
  await service.write(
    "UPDATE agent_challenge SET state = 'ISSUED' WHERE challenge_id = ?",
    challenge.challenge.challenge_id,
  )
  const proof = proofBy(challenge, { RECOVERY: agent.recovery })
  expect(await codeOf(await service.post(provePath(challenge), proof))).toBe("409 CHALLENGE_SUPERSEDED")
})

test("a challenge is provable before the instant it expires, not at it", async () => {
  const challenge = await challengeFor(service, ending(agent.agentId))
  const proof = proofBy(challenge, { RECOVERY: agent.recovery })
  service.clock.at += 600_000
  expect(await codeOf(await service.post(provePath(challenge), proof))).toBe("409 CHALLENGE_EXPIRED")
  service.clock.at -= 1
  expect((await service.post(provePath(challenge), proof)).status).toBe(200)
})

test("a clock set back gives no event a time before the event it follows", async () => {
  service.clock.at -= 3_600_000
  const result = await change(service, ending(agent.agentId), { RECOVERY: agent.recovery })
  expect(result.event.accepted_at).toBe("2026-03-01T12:00:07.250Z")
})
