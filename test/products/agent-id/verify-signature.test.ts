import { afterEach, beforeEach, expect } from "bun:test"
import { join } from "node:path"
import { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { keyFromSeed, signWith } from "../../../src/core/ed25519.ts"
import { compile } from "../../../src/http/read-body.ts"
import { makeAgentKeys, type TestAgent } from "../../fixtures/agent.ts"
import { PAYLOAD, signedStatement } from "../../fixtures/signed-statement.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { codeOf, openService, openWithAgent, type Service, verificationOf } from "./service.ts"

const test = slowTests(import.meta.path)

const PATH = "/v1/agent-signatures/verify"
const conforms = compile(AgentSignatureVerification)
let service: Service
let agent: TestAgent
beforeEach(async () => {
  ;({ service, agent } = await openWithAgent())
})
afterEach(() => service.close())

async function verified(body: unknown): Promise<AgentSignatureVerification> {
  const response = await service.post(PATH, body)
  const result = await verificationOf(response)
  expect([response.status, [...conforms.Errors(result)]]).toEqual([200, []])
  return result
}
const signed = (given: Parameters<typeof signedStatement>[2] = {}) => signedStatement(agent, service.clock.at, given)
const bare = (payload: unknown, by = agent.operational) => ({
  schema_version: "1.0.0",
  profile: "PAYLOAD_ONLY",
  agent_id: agent.agentId,
  key_id: agent.operational.keyId,
  payload,
  signature: signWith(by.privateKey, canonicalize(payload)),
})

test("a good statement has five outcomes, no overall verdict, and counts as evidence of key control only", async () => {
  const body = signed()
  const result = await verified(body)
  expect(result).toEqual({
    schema_version: "1.0.0",
    verification_id: expect.stringMatching(/^ver_[A-Za-z0-9_-]{22}$/),
    evaluated_at: "2026-03-01T12:00:07.250Z",
    agent_id: agent.agentId,
    key_id: agent.operational.keyId,
    statement_digest: digestOf(body.statement),
    payload_digest: digestOf(PAYLOAD),
    outcomes: {
      cryptographic: { outcome: "VALID", reason_codes: [] },
      lifecycle: {
        outcome: "KEY_ACTIVE",
        key_status: "ACTIVE",
        claimed_time_relation: "WITHIN_KEY_VALIDITY",
        status_as_of: "2026-03-01T12:00:07.250Z",
        head_event_digest: expect.stringMatching(/^sha256:/),
        anchored_before_change: null,
        reason_codes: [],
      },
      replay: {
        outcome: "NOT_SEEN",
        scope: "AGENT_KEY_AUDIENCE_NONCE",
        mode: "OBSERVE",
        nonce_consumed: false,
        record_id: null,
        reason_codes: [],
      },
      temporal: {
        outcome: "WITHIN_WINDOW",
        issued_at: "2026-03-01T12:00:07.250Z",
        expires_at: "2026-03-01T12:05:07.250Z",
        clock_skew_allowed_seconds: 30,
        reason_codes: [],
      },
      distribution: { outcome: "NOT_REGISTERED", reason_codes: [] },
    },
    claim: "KEY_CONTROL_ONLY",
    limitations: [...AGENT_ID_LIMITATIONS],
    valid_as_of: "2026-03-01T12:00:07.250Z",
    valid_until: "2026-03-01T12:01:07.250Z",
    next_machine_action: "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY",
  } as never)
})

test("the log contains the response under its id, which is the id of the request", async () => {
  const response = await service.post(PATH, signed())
  const { verification_id } = (await response.json()) as AgentSignatureVerification
  const requestId = verification_id.replace("ver_", "req_")
  expect(response.headers.get("x-request-id")).toBe(requestId)
  expect(service.logLines.some((line) => line.includes(requestId))).toBe(true)
})

test("the payload may be omitted: its digest alone is attested", async () => {
  const { payload: _, ...body } = signed()
  expect((await verified(body)).outcomes.cryptographic).toEqual({ outcome: "VALID", reason_codes: [] })
})

test.each<[string, unknown]>([
  ["null", null],
  ["a list", [1, "two", { three: 3 }]],
  ["a text", "marker"],
  ["a form of ours, since only its digest is signed", { domain: "svc.agent-identity.key-event.v1" }],
])("the payload may be any JSON: %s", async (_, payload) => {
  const body = { ...signed({ payload_digest: digestOf(payload) }), payload }
  expect((await verified(body)).outcomes.cryptographic.outcome).toBe("VALID")
  expect((await verified({ ...body, payload: { other: 1 } })).outcomes.cryptographic.reason_codes).toEqual([
    "PAYLOAD_DIGEST_MISMATCH",
  ])
})

type Spoil = (body: ReturnType<typeof signed>) => unknown
test.each<[string, Spoil, string, string[], string]>([
  [
    "a changed audience",
    (body) => ({ ...body, statement: { ...body.statement, audience: "https://else.example" } }),
    "INVALID",
    ["SIGNATURE_MISMATCH"],
    "REJECT_SIGNATURE",
  ],
  [
    "another algorithm",
    (body) => ({ ...body, statement: { ...body.statement, algorithm: "ES256" } }),
    "NOT_EVALUATED",
    ["ALGORITHM_UNSUPPORTED"],
    "REJECT_SIGNATURE",
  ],
])("%s gives a verdict, not an error", async (_, spoil, outcome, reasons, next) => {
  const result = await verified(spoil(signed()))
  expect(result.outcomes.cryptographic).toEqual({ outcome, reason_codes: reasons } as never)
  expect(result.next_machine_action).toBe(next as never)
})

test.each<[string, Spoil, string]>([
  ["a member too many", (body) => ({ ...body, trusted: true }), ""],
  [
    "a member too many in the statement",
    (body) => ({ ...body, statement: { ...body.statement, x: 1 } }),
    "/statement/x",
  ],
  ["another domain", (body) => ({ ...body, statement: { ...body.statement, domain: "svc.x" } }), "/statement/domain"],
  [
    "a nested context",
    (body) => ({ ...body, statement: { ...body.statement, context: { a: {} } } }),
    "/statement/context/a",
  ],
  ["a short nonce", (body) => ({ ...body, statement: { ...body.statement, nonce: "n" } }), "/statement/nonce"],
  ["an unknown replay check", (body) => ({ ...body, replay_check: "CONSUME" }), "/replay_check"],
  ["a signature of another length", (body) => ({ ...body, signature: "AA" }), "/signature"],
  ["PAYLOAD_ONLY without its payload", () => ({ ...bare(PAYLOAD), payload: undefined }), "/payload"],
  ["PAYLOAD_ONLY with a replay check", () => ({ ...bare(PAYLOAD), replay_check: "RECORD" }), "/replay_check"],
])("%s gets 422 that names the member", async (_, spoil, pointer) => {
  const response = await service.post(PATH, spoil(signed()))
  const problem = (await response.json()) as { code: string; errors: { pointer: string }[] }
  expect([response.status, problem.code]).toEqual([422, "SCHEMA_INVALID"])
  if (pointer !== "") expect(problem.errors.map((error) => error.pointer)).toContain(pointer)
})

test("a context contains at most sixteen texts", async () => {
  const context = (size: number) =>
    Object.fromEntries(Array.from({ length: size }, (_, index) => [`member${index}`, "text"]))
  expect((await verified(signed({ context: context(16) }))).outcomes.cryptographic.outcome).toBe("VALID")
  expect(await codeOf(await service.post(PATH, signed({ context: context(17) })))).toBe("422 SCHEMA_INVALID")
})

test("a revoked key still reports a valid signature: the outcomes are independent", async () => {
  const body = signed()
  const until = new Date(service.clock.at + 1000).toISOString()
  await service.write("UPDATE agent_key SET status = 'REVOKED', until = ? WHERE role = 'OPERATIONAL'", until)
  const result = await verified(body)
  expect(result.outcomes).toMatchObject({
    cryptographic: { outcome: "VALID" },
    lifecycle: { outcome: "KEY_REVOKED", claimed_time_relation: "WITHIN_KEY_VALIDITY", anchored_before_change: false },
    replay: { outcome: "NOT_SEEN" },
    temporal: { outcome: "WITHIN_WINDOW" },
  })
  expect(result.next_machine_action).toBe("REVIEW_LIFECYCLE")
})

test("an expired statement still reports a valid signature by an active key", async () => {
  const body = signed()
  service.clock.at += 330_000
  const result = await verified(body)
  expect(result.outcomes).toMatchObject({
    cryptographic: { outcome: "VALID" },
    lifecycle: { outcome: "KEY_ACTIVE" },
    temporal: { outcome: "EXPIRED" },
  })
  expect(result.next_machine_action).toBe("REFRESH_AND_RETRY")
})

test("the outcomes for an unknown agent and a key of another agent reveal no more than their ids", async () => {
  const { keys, result: other } = await service.enrolled()
  const unknown = `svc:agent:${"A".repeat(32)}`
  const answers = await Promise.all([
    verified(signedStatement({ agentId: unknown, operational: agent.operational }, service.clock.at)),
    verified(signedStatement({ agentId: unknown, operational: makeAgentKeys().operational }, service.clock.at)),
    verified(signedStatement({ agentId: other.agent_id, operational: agent.operational }, service.clock.at)),
    verified(signedStatement({ agentId: agent.agentId, operational: keys.recovery }, service.clock.at)),
  ])
  expect(answers.map(({ outcomes }) => outcomes.lifecycle.outcome)).toEqual([
    "AGENT_NOT_FOUND",
    "AGENT_NOT_FOUND",
    "KEY_NOT_FOUND",
    "KEY_NOT_FOUND",
  ])
  for (const { outcomes, next_machine_action } of answers) {
    expect(outcomes.cryptographic).toEqual({ outcome: "NOT_EVALUATED", reason_codes: ["KEY_UNAVAILABLE"] })
    expect(outcomes.replay).toMatchObject({ outcome: "NOT_EVALUATED", reason_codes: ["KEY_UNAVAILABLE"] })
    expect(next_machine_action).toBe("REJECT_SIGNATURE")
  }
  // Nothing distinguishes an enrolled key from an unknown one.
  const plain = ({ outcomes }: AgentSignatureVerification) => canonicalize(outcomes)
  expect(plain(answers[0])).toBe(plain(answers[1]))
})

test("a recovery key signs no statements", async () => {
  const { outcomes } = await verified(signedStatement({ ...agent, operational: agent.recovery }, service.clock.at))
  expect(outcomes.lifecycle).toMatchObject({ outcome: "KEY_NOT_FOUND", reason_codes: ["RECOVERY_KEY"] })
  expect(outcomes.cryptographic.outcome).toBe("NOT_EVALUATED")
})

test("with verification disabled every call gets 503, whatever its body, and browsers may still call the route", async () => {
  const off = await openService({ signatureVerification: false })
  for (const body of [signed(), "{"]) {
    const response = await off.post(PATH, body)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("retry-after")).toBe("5")
    expect(await codeOf(response)).toBe("503 SIGNATURE_VERIFICATION_DISABLED")
  }
  await off.close()
})

test("an address may verify three hundred times a minute", async () => {
  const wrong = () => service.post(PATH, "{}", "192.0.2.9")
  for (let i = 0; i < 300; i++) expect((await wrong()).status).toBe(422)
  expect(await codeOf(await wrong())).toBe("429 RATE_LIMITED")
})

const folder = process.env["BIZAUTH_VECTORS"]
if (!folder) console.info("skipped: the published statement is read only when BIZAUTH_VECTORS names its folder")

test.skipIf(!folder)("the published statement is signed byte for byte, and verifies with its key", async () => {
  const vectors = await Bun.file(join(folder ?? "", "agent-id/design-vectors.json")).json()
  const { statement, payload, payload_digest, canonical_utf8, signature } = vectors.signature_statement
  const { seed_hex } = vectors.keys.find((key: { key_id: string }) => key.key_id === statement.key_id)
  expect(digestOf(payload)).toBe(payload_digest)
  expect(canonicalize(statement)).toBe(canonical_utf8)
  const { privateKey, x } = keyFromSeed(new Uint8Array(Buffer.from(seed_hex, "hex")))
  expect(signWith(privateKey, canonical_utf8)).toBe(signature)
  await service.writeLoose(
    "UPDATE agent_key SET key_id = ?, x = ?, agent_id = ? WHERE agent_id = ? AND role = 'OPERATIONAL'",
    ...[statement.key_id, x, statement.agent_id, agent.agentId],
  )
  await service.writeLoose("UPDATE agent SET agent_id = ? WHERE agent_id = ?", statement.agent_id, agent.agentId)
  service.clock.at = Date.parse(statement.issued_at)
  const result = await verified({ schema_version: "1.0.0", statement, payload, signature })
  expect(result.next_machine_action).toBe("ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY")
})
