import { afterEach, beforeEach, expect } from "bun:test"
import { AgentArtifactRegistration } from "../../../schemas/agent-id/artifact.ts"
import type { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { openCheckpoint } from "../../../src/core/checkpoint.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { statementMark } from "../../../src/core/leaf-data.ts"
import { leafHash, verifyInclusion } from "../../../src/core/merkle-tree.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { nativeNoteCrypto, verifierKeyOf } from "../../../src/core/sign-checkpoint.ts"
import { compile } from "../../../src/http/read-body.ts"
import { Crowd } from "../../../src/products/agent-id/crowd.ts"
import { KeptSigners } from "../../../src/products/agent-id/kept-signers.ts"
import { replyRegistration } from "../../../src/products/agent-id/register-artifact.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { SHARED_CAPS, type SharedCaps } from "../../../src/store/free-writes/shared-caps.ts"
import { findInvitation } from "../../../src/store/identity/invitations.ts"
import { inclusionPath, leafData } from "../../../src/store/log/transparency-log.ts"
import { makeAgentKeys, type TestAgent } from "../../fixtures/agent.ts"
import { changedCaps, freeWriter } from "../../fixtures/free-writes.ts"
import { PAYLOAD, signedStatement } from "../../fixtures/signed-statement.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { BASE_URL, codeOf, LOG_ORIGIN, newAgent, openService, openWithAgent, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

const PATH = "/v1/agent-id/artifacts"
const conforms = compile(AgentArtifactRegistration)
let service: Service
let agent: TestAgent
beforeEach(async () => {
  ;({ service, agent } = await openWithAgent())
})
afterEach(() => service.close())

const signed = (given: Parameters<typeof signedStatement>[2] = {}) => signedStatement(agent, service.clock.at, given)

async function registered(body: unknown): Promise<AgentArtifactRegistration> {
  const response = await service.post(PATH, body)
  const result = (await response.json()) as AgentArtifactRegistration
  expect([response.status, [...conforms.Errors(result)]]).toEqual([200, []])
  return result
}
async function verified(body: unknown) {
  return ((await (await service.post("/v1/agent-signatures/verify", body)).json()) as AgentSignatureVerification)
    .outcomes
}
const artifacts = () => service.count("artifact_registration")
/** Leaves of type ARTIFACT. Enrolments may have their own leaves. */
const artifactLeaves = () => {
  const mark = new Uint8Array(statementMark(sha256, "ARTIFACT"))
  return service.count("log_leaf", "substr(data, 1, 32) = ?", mark)
}

test("a valid statement is registered, which gives a logged time and accepts nothing", async () => {
  const body = signed()
  const result = await registered(body)
  expect(result).toMatchObject({
    registered: true,
    registration_id: expect.stringMatching(/^reg_[A-Za-z0-9_-]{22}$/),
    statement_digest: digestOf(body.statement),
    payload_digest: digestOf(PAYLOAD),
    registered_at: "2026-03-01T12:00:07.250Z",
    retention: {
      payload_retained: false,
      retained: ["STATEMENT_DIGEST", "PAYLOAD_DIGEST", "AGENT_ID", "KEY_ID", "REGISTERED_AT"],
    },
    action: { accepted: false, nonce_consumed: false },
    next_machine_action: "KEEP_AS_EVIDENCE_OF_TIME_ONLY",
  })
  expect(result.outcomes.distribution.outcome).toBe("REGISTERED")
  expect(result.outcomes.replay).toMatchObject({ outcome: "NOT_SEEN", mode: "OBSERVE", nonce_consumed: false })
  expect(await service.count("signature_nonce")).toBe(0)
  expect((await verified(body)).distribution).toEqual({ outcome: "REGISTERED", reason_codes: [] })
})

test("the response alone proves that the leaf is in the signed tree", async () => {
  const body = signed()
  const result = await registered(body)
  if (result.transparency.status !== "LOGGED") throw new Error("not logged")
  const { log_index: index, checkpoint } = result.transparency
  const opened = openCheckpoint(checkpoint, [verifierKeyOf(LOG_ORIGIN, service.serviceX)], nativeNoteCrypto)
  if ("fault" in opened) throw new Error(opened.fault)
  const { size, rootHash } = opened
  const leaf = (await service.store.read(() => leafData(index))) ?? expect.unreachable()
  const path = await service.store.read(() => inclusionPath(index, size))
  const { registration_id, statement_digest, payload_digest, registered_at } = result
  const { agent_id, key_id } = body.statement
  const said = digestOf({ agent_id, key_id, payload_digest, registered_at, registration_id, statement_digest })
  expect(Buffer.from(leaf.slice(0, 32))).toEqual(Buffer.from(statementMark(sha256, "ARTIFACT")))
  expect(`sha256:${Buffer.from(leaf.slice(32, 64)).toString("hex")}`).toBe(said)
  expect(verifyInclusion(sha256, { index, size, leafHash: leafHash(sha256, leaf), path, rootHash })).toBe(true)
})

test("the same statement again is the same registration, from any caller and at any number of simultaneous calls", async () => {
  const body = signed()
  const answers = await Promise.all(Array.from({ length: 20 }, () => registered(body)))
  service.clock.at += 86_400_000
  answers.push(await registered({ ...body, payload: undefined }))
  for (const member of ["registration_id", "registered_at", "statement_digest"] as const) {
    expect(new Set(answers.map((answer) => answer[member])).size).toBe(1)
  }
  expect(new Set(answers.map(({ transparency }) => transparency.log_index)).size).toBe(1)
  expect(new Set(answers.map(({ tracking }) => tracking.invitation?.reference)).size).toBe(1)
  expect([await artifacts(), await artifactLeaves(), await service.count("invitation")]).toEqual([1, 1, 1])
})

test.each<[string, (body: ReturnType<typeof signed>) => unknown, string]>([
  ["another payload", (body) => ({ ...body, payload: { other: 1 } }), "REJECT_SIGNATURE"],
  ["a foreign signature", (body) => ({ ...body, signature: signed().signature }), "REJECT_SIGNATURE"],
])("%s is not registered and stores nothing", async (_, spoil, next) => {
  const result = await registered(spoil(signed()))
  expect(result).toMatchObject({
    registered: false,
    registration_id: null,
    registered_at: null,
    retention: { payload_retained: false, retained: [] },
    transparency: { status: "NOT_LOGGED", log_index: null, checkpoint: null },
    tracking: { status: "UNAVAILABLE", invitation: null },
    next_machine_action: next,
  })
  expect([await artifacts(), await artifactLeaves(), await service.count("invitation")]).toEqual([0, 0, 0])
})

test("a statement of an unknown agent is not registered", async () => {
  const unknown = { ...agent, agentId: `svc:agent:${"A".repeat(32)}` }
  expect(await registered(signedStatement(unknown, service.clock.at))).toMatchObject({ registered: false })
})

test.each<[string, (body: ReturnType<typeof signed>) => unknown, string]>([
  ["RECORD", (body) => ({ ...body, replay_check: "RECORD" }), "/replay_check"],
  [
    "a bare payload",
    ({ statement, signature }) => ({
      schema_version: "1.0.0",
      profile: "PAYLOAD_ONLY",
      agent_id: statement.agent_id,
      key_id: statement.key_id,
      payload: PAYLOAD,
      signature,
    }),
    "/profile",
  ],
])("%s gets 422", async (_, spoil, pointer) => {
  const response = await service.post(PATH, spoil(signed()))
  expect((await response.clone().json()) as object).toMatchObject({ errors: [{ pointer }] })
  expect(await codeOf(response)).toBe("422 SCHEMA_INVALID")
  expect(await artifacts()).toBe(0)
})

test("OBSERVE is accepted", async () => {
  expect((await registered({ ...signed(), replay_check: "OBSERVE" })).registered).toBe(true)
})

test("the links of a registration lead to an existing invitation", async () => {
  const { tracking } = await registered(signed())
  if (tracking.status !== "AVAILABLE") throw new Error("no invitation")
  const { reference, uri, bootstrap_uri } = tracking.invitation
  expect(reference).toMatch(/^[A-Za-z0-9_-]{32}$/)
  expect(uri).toBe(`${BASE_URL}/v1/agent-id/invitations/${reference}`)
  expect(bootstrap_uri).toBe(`${uri}/bootstrap`)
  expect(await service.store.read(() => findInvitation(reference))).toMatchObject({ reference })
})

const callOf = (body: ReturnType<typeof signed>, caps: SharedCaps = SHARED_CAPS) =>
  ({ body, at: service.clock.at, writer: () => freeWriter(service.clock.at, { caps }) }) as never
const deps = (store: Store = service.store) => ({
  ...service.registerDeps,
  store,
  signers: new KeptSigners(store),
  crowd: new Crowd(1),
})

test("a registration stays valid when its invitation cannot be issued; the next call issues it", async () => {
  let writes = 0
  const failing = {
    read: service.store.read.bind(service.store),
    readTogether: service.store.readTogether.bind(service.store),
    run: (unit: never) => (++writes === 1 ? service.store.run(unit) : Promise.reject(new StoreUnavailable("FULL"))),
  } as unknown as Store
  const body = signed()
  const reply = await replyRegistration(deps(failing), callOf(body))
  expect(reply.body).toMatchObject({ registered: true, tracking: { status: "UNAVAILABLE", invitation: null } })
  expect([await artifacts(), await artifactLeaves(), await service.count("invitation")]).toEqual([1, 1, 0])
  expect((await registered(body)).tracking.status).toBe("AVAILABLE")
  expect([await artifacts(), await service.count("invitation")]).toEqual([1, 1])
})

test("an agent has a daily limit of registrations; its known statements are free, and the next day has a new limit", async () => {
  const caps = changedCaps({ ARTIFACTS: { ofAgent: 2 } })
  const register = (body = signed()) => replyRegistration(deps(), callOf(body, caps))
  const first = signed()
  await register(first)
  await register()
  await expect(register()).rejects.toMatchObject({
    code: "RATE_LIMITED",
    context: { reasonCodes: ["ARTIFACTS_OF_AGENT"], retryAfterSeconds: 43_193 },
  })
  expect((await register(first)).status).toBe(200)
  agent = await newAgent(service)
  expect((await register()).status).toBe(200)
  service.clock.at += 43_193_000
  expect((await register()).status).toBe(200)
  expect([await artifacts(), await artifactLeaves()]).toEqual([4, 4])
})

test("a thief with a revoked key uses up none of its owner's daily limit", async () => {
  const caps = changedCaps({ ARTIFACTS: { ofAgent: 1 } })
  const stolen = [signed(), signed()] as const
  await service.write(
    "UPDATE agent_key SET status = 'REVOKED', until = since WHERE key_id = ?",
    agent.operational.keyId,
  )
  const register = (body: ReturnType<typeof signed>) => replyRegistration(deps(), callOf(body, caps))
  await register(stolen[0])
  await expect(register(stolen[1])).rejects.toMatchObject({ code: "RATE_LIMITED" })
  const successor = makeAgentKeys().operational
  await service.write(
    "INSERT INTO agent_key (key_id, agent_id, role, x, scalar_owner, status, since) VALUES (?1, ?2, 'OPERATIONAL', ?3, ?3, 'ACTIVE', '2026-01-01T00:00:00.000Z')",
    successor.keyId,
    agent.agentId,
    successor.x,
  )
  agent = { ...agent, operational: successor }
  expect((await register(signed())).status).toBe(200)
})

test("all agents together have a daily limit", async () => {
  const caps = changedCaps({ ARTIFACTS: { max: 1 } })
  await replyRegistration(deps(), callOf(signed(), caps))
  agent = await newAgent(service)
  await expect(replyRegistration(deps(), callOf(signed(), caps))).rejects.toMatchObject({
    context: { reasonCodes: ["ARTIFACTS_OF_ALL"] },
  })
  expect(await artifacts()).toBe(1)
})

test("a registration from before a key was lost stays evidence; an unregistered statement does not", async () => {
  const [before, after] = [signed(), signed()]
  await registered(before)
  service.clock.at += 60_000
  const lost = new Date(service.clock.at).toISOString()
  await service.write(
    "UPDATE agent_key SET status = 'REVOKED', until = ? WHERE key_id = ?",
    lost,
    agent.operational.keyId,
  )
  service.clock.at += 60_000
  const late = await registered(after)
  expect(late.outcomes.lifecycle).toMatchObject({ outcome: "KEY_REVOKED", anchored_before_change: false })
  expect((await verified(before)).lifecycle).toMatchObject({ outcome: "KEY_REVOKED", anchored_before_change: true })
  expect((await verified(signed())).lifecycle.anchored_before_change).toBe(false)
})

test("with verification disabled nothing is registered", async () => {
  const off = await openService({ signatureVerification: false })
  expect(await codeOf(await off.post(PATH, signed()))).toBe("503 SIGNATURE_VERIFICATION_DISABLED")
  await off.close()
})
