/** Verification of a signature over the payload alone. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { signWith } from "../../../src/core/ed25519.ts"
import { compile } from "../../../src/http/read-body.ts"
import { makeAgentKeys, type TestAgent } from "../../fixtures/agent.ts"
import { statementOf } from "../../fixtures/signed-statement.ts"
import { codeOf, openWithAgent, type Service, verificationOf } from "./service.ts"

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
const bare = (payload: unknown, by = agent.operational) => ({
  schema_version: "1.0.0",
  profile: "PAYLOAD_ONLY",
  agent_id: agent.agentId,
  key_id: agent.operational.keyId,
  payload,
  signature: signWith(by.privateKey, canonicalize(payload)),
})

test("PAYLOAD_ONLY verifies a signature over the payload itself, without time, nonce or registration", async () => {
  const result = await verified(bare({ order: 7 }))
  expect(result).toMatchObject({
    statement_digest: null,
    payload_digest: digestOf({ order: 7 }),
    outcomes: {
      cryptographic: { outcome: "VALID" },
      lifecycle: { outcome: "KEY_ACTIVE", claimed_time_relation: "NO_TIME_CLAIM", anchored_before_change: null },
      replay: { outcome: "NOT_TRACKED", nonce_consumed: false, reason_codes: ["NO_NONCE"] },
      temporal: { outcome: "NO_TIME_CLAIM", issued_at: null, expires_at: null },
      distribution: { outcome: "NOT_EVALUATED", reason_codes: ["NO_STATEMENT"] },
    },
    next_machine_action: "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY",
  })
  const forged = await verified(bare({ order: 7 }, agent.recovery))
  expect(forged.outcomes.cryptographic.reason_codes).toEqual(["SIGNATURE_MISMATCH"])
})

const digest = `sha256:${"0".repeat(64)}`
const mandate = {
  schema_version: "1.0.0",
  mandate_id: "mandate:1",
  mandate_version: "1.0.0",
  issuer: "org:example",
  subject_agent_id: "agent:1",
  buyer_organization: "org:example",
  buyer_organization_digest: digest,
  supplier_entity_id: "supplier:1",
  key_id: "key:1",
  request_digest: digest,
  payee_fingerprint: digest,
  permitted_intent: "RELEASE_PAYMENT_TO_SUPPLIER",
  max_payment_amount: "10.00",
  currency: "USD",
  max_decision_fee_atomic: "790000",
  valid_from: "2026-01-01T00:00:00Z",
  valid_until: "2026-12-31T00:00:00Z",
  nonce: "n".repeat(16),
  revocation_reference: "https://example.com/revoked",
}

test("PAYLOAD_ONLY verifies a whole mandate", async () => {
  expect((await verified(bare(mandate))).outcomes.cryptographic.outcome).toBe("VALID")
})

test("PAYLOAD_ONLY rejects any payload that could be another signed form, so that no signature changes its meaning", async () => {
  const { challenge } = await service.challenge(makeAgentKeys())
  const reserved: unknown[] = [
    challenge,
    statementOf(agent, service.clock.at),
    { ...mandate, memo: "almost a mandate" },
    { domain: "svc.agent-identity.", free: true },
    { type: "svc.something.to.come.v1" },
    { buyer_mandate: {} },
  ]
  for (const payload of reserved) {
    const response = await service.post(PATH, bare(payload))
    expect((await response.clone().json()) as object).toMatchObject({
      errors: [{ pointer: "/payload", code: "RESERVED_DOMAIN" }],
    })
    expect(await codeOf(response)).toBe("422 RESERVED_DOMAIN")
  }
})
