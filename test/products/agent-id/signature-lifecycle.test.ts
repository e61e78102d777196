/** Signatures over the real life of a key: rotated, recovered, revoked, ended. Statements logged before a change stay evidence. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import type { AgentArtifactRegistration } from "../../../schemas/agent-id/artifact.ts"
import type { StatementVerification } from "../../../schemas/agent-id/signature.ts"
import type { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import type { SigningKey } from "../../../src/agent/keys.ts"
import { MINUTE } from "../../../src/core/time.ts"
import { signedStatement } from "../../fixtures/signed-statement.ts"
import { change, type Enrolled, ending, enrolled, makeKey, recovery, revocation, rotation } from "./key-changes.ts"
import { openService, type Service, verificationOf } from "./service.ts"

let service: Service
let agent: Enrolled
beforeEach(async () => {
  service = await openService()
  agent = await enrolled(service)
})
afterEach(() => service.close())

const signed = (operational: SigningKey = agent.operational) =>
  signedStatement({ agentId: agent.agentId, operational }, service.clock.at)
const pass = (minutes: number) => {
  service.clock.at += minutes * MINUTE
  return new Date(service.clock.at).toISOString()
}

async function verified(body: StatementVerification): Promise<AgentSignatureVerification> {
  return verificationOf(await service.post("/v1/agent-signatures/verify", body))
}
async function registered(body = signed()): Promise<StatementVerification> {
  const answer = (await (await service.post("/v1/agent-id/artifacts", body)).json()) as AgentArtifactRegistration
  expect(answer.registered).toBe(true)
  return body
}
async function lifecycleOf(body: StatementVerification) {
  const { outcomes, next_machine_action } = await verified(body)
  // Whatever happened to the key, it did sign this.
  expect(outcomes.cryptographic).toEqual({ outcome: "VALID", reason_codes: [] })
  return { ...outcomes.lifecycle, next: next_machine_action }
}

test("after a routine rotation the old key's statements are KEY_ROTATED, and the new key's are active", async () => {
  const [logged, loose] = [await registered(), signed()]
  pass(11)
  const { event } = await change(service, rotation(agent.agentId, agent.next), {
    OPERATIONAL: agent.operational,
    NEW_OPERATIONAL: agent.next,
  })
  const old = {
    outcome: "KEY_ROTATED",
    key_status: "ROTATED",
    head_event_digest: event.event_digest,
    claimed_time_relation: "WITHIN_KEY_VALIDITY",
    reason_codes: [],
    next: "REVIEW_LIFECYCLE",
  }
  expect(await lifecycleOf(logged)).toMatchObject({ ...old, anchored_before_change: true })
  expect(await lifecycleOf(loose)).toMatchObject({ ...old, anchored_before_change: false })
  pass(1)
  expect(await lifecycleOf(signed())).toMatchObject({ ...old, claimed_time_relation: "AFTER_ROTATION" })
  expect(await lifecycleOf(signed(agent.next))).toMatchObject({
    outcome: "KEY_ACTIVE",
    anchored_before_change: null,
    next: "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY",
  })
})

test("a recovery that claims a compromise removes the anchor of everything logged since, and of nothing before", async () => {
  const before = await registered()
  const since = pass(5)
  const during = await registered()
  pass(5)
  const key = makeKey()
  await change(service, recovery(agent.agentId, key, { compromise_suspected_since: since }), {
    RECOVERY: agent.recovery,
    NEW_OPERATIONAL: key,
  })
  const revoked = { outcome: "KEY_REVOKED", reason_codes: ["COMPROMISE_CLAIMED"], next: "REVIEW_LIFECYCLE" }
  expect(await lifecycleOf(before)).toMatchObject({
    ...revoked,
    claimed_time_relation: "WITHIN_KEY_VALIDITY",
    anchored_before_change: true,
  })
  expect(await lifecycleOf(during)).toMatchObject({
    ...revoked,
    claimed_time_relation: "AFTER_COMPROMISE",
    anchored_before_change: false,
  })
})

test("a statement that a thief backdates is exposed because the log does not contain it", async () => {
  const since = pass(5)
  const key = makeKey()
  await change(service, recovery(agent.agentId, key, { compromise_suspected_since: since }), {
    RECOVERY: agent.recovery,
    NEW_OPERATIONAL: key,
  })
  const backdated = signedStatement(agent, Date.parse(since) - MINUTE)
  expect((await lifecycleOf(backdated)).claimed_time_relation).toBe("WITHIN_KEY_VALIDITY")
  await registered(backdated)
  expect((await lifecycleOf(backdated)).anchored_before_change).toBe(false)
})

test("a key revoked without a successor, and an ended identity, give their own outcomes", async () => {
  const logged = await registered()
  pass(1)
  await change(service, revocation(agent.agentId), { OPERATIONAL: agent.operational })
  expect(await lifecycleOf(logged)).toMatchObject({ outcome: "KEY_REVOKED", anchored_before_change: true })
  pass(1)
  await change(service, ending(agent.agentId), { RECOVERY: agent.recovery })
  expect(await lifecycleOf(logged)).toMatchObject({
    outcome: "IDENTITY_REVOKED",
    key_status: "REVOKED",
    anchored_before_change: true,
    next: "REVIEW_LIFECYCLE",
  })
})
