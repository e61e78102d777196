/** Genuine artifacts of every kind for one service, and the rows that their deliveries leave. */

import { openDatabase } from "../../../db/open.ts"
import type { AgentExportBundle } from "../../../schemas/agent-id/export.ts"
import type { SandboxArtifactPayload } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import type { ServiceProofPayload } from "../../../schemas/discovery/service-proof.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { signWith } from "../../../src/core/ed25519.ts"
import type { IdentityState } from "../../../src/core/identity-state.ts"
import { applyKeyEvent } from "../../../src/core/key-history.ts"
import { type Signer, signedAnswer } from "../../../src/core/signer.ts"
import { DAY, formatInstant, MINUTE } from "../../../src/core/time.ts"
import { gbPaymentRules } from "../../../src/products/gb/payment/rules.ts"
import { gbVendorChangeRules } from "../../../src/products/gb/vendor-change/rules.ts"
import { serviceIdentities } from "../../../src/store/identity/service-identities.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { passportOf } from "../../fixtures/company-passport.ts"
import { DECIDED_AT, deliveredDecision, issuerKey } from "../../fixtures/decision.ts"
import { type DeliveredAnswer, deliveredAnswer } from "../../fixtures/delivered-answer.ts"
import { gbChangeBody, gbPaymentBody } from "../../fixtures/gb.ts"
import { changeFacts, gbFacts } from "../../fixtures/gb-facts.ts"
import { enrolment, newIdentity, routineRotation, type SignedEvent } from "../../fixtures/owned-identity.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { PAYLOAD, statementOf } from "../../fixtures/signed-statement.ts"
import type { AgentService } from "../agent-service.ts"

/** Writes as another process does, so that the service notices. */
export function elsewhere(service: AgentService, sql: string, ...values: (string | number | null)[]): void {
  const database = openDatabase(`${service.directory}/bizauth.db`)
  database.run("PRAGMA foreign_keys = OFF")
  database.query(sql).run(...values)
  database.close()
}

/** Makes the issuer of the fixtures an earlier statement key of this service. */
export function adoptIssuer(service: AgentService): void {
  const [from, to] = [formatInstant(DECIDED_AT - 100 * DAY), formatInstant(DECIDED_AT + 100 * DAY)]
  elsewhere(
    service,
    "INSERT INTO service_key (key_id, use, x, status, created_at, not_before, expires_at) VALUES (?1, 'statement', ?2, 'ROTATED', ?3, ?3, ?4)",
    issuerKey.keyId,
    issuerKey.x,
    from,
    to,
  )
}

/** The row of a delivered answer. */
export function enterDelivery(
  service: AgentService,
  given: { answerId: string; reference: string; capsuleDigest: string; attachmentId?: string; attachmentJson?: string },
): void {
  elsewhere(
    service,
    "INSERT INTO delivery (request_id, purchase_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest, key_id, valid_until, computed_at, body, delivered_at, log_index, companion_id, companion_json) VALUES (?1, ?1, ?1, ?2, '{}', '{}', '{}', ?3, '', '', '', '{}', ?4, 7, ?5, ?6)",
    given.answerId,
    given.reference,
    given.capsuleDigest,
    formatInstant(DECIDED_AT),
    given.attachmentId ?? null,
    given.attachmentJson ?? null,
  )
}

export const decision = () => deliveredDecision().response.proof_capsule
export const passport = () => passportOf().passport
export const companyCheck = () => passportOf().answered

let payment: DeliveredAnswer | undefined
let change: DeliveredAnswer | undefined
/** Always the same answer: its challenge is drawn once. */
export const gbPayment = () => (payment ??= makePayment())
export const gbChange = () => (change ??= makeChange())

function makePayment(): DeliveredAnswer {
  const facts = gbFacts(gbPaymentRules.id)
  const body = { ...gbPaymentBody({}, DECIDED_AT), idempotency_key: "order-2026-0001" }
  const invoice_name = { agrees: true, score: 1, previous_name: null }
  return deliveredAnswer(gbPaymentRules, body, { ...facts, invoice_name, change: null })
}

function makeChange(): DeliveredAnswer {
  const facts = { ...gbFacts(gbVendorChangeRules.id), change: changeFacts() }
  const body = { ...gbChangeBody({}, DECIDED_AT), idempotency_key: "change-2026-0001" }
  return deliveredAnswer(gbVendorChangeRules, body, facts)
}

export const parsed = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes))

const get = async (service: AgentService, path: string) =>
  (await (await service.send(new Request(BASE_URL + path))).json()) as Record<string, unknown>

export async function exportBundle(service: AgentService, { agentId }: TestAgent): Promise<AgentExportBundle> {
  return (await get(service, `/v1/agent-identities/${agentId}/export`)) as unknown as AgentExportBundle
}

export async function receipt(service: AgentService, agent: TestAgent) {
  const [first] = (await exportBundle(service, agent)).key_event_log
  if (!first) throw new Error("an agent without events")
  return first.receipt
}

export const status = (service: AgentService, { agentId }: TestAgent) =>
  get(service, `/v1/agent-identities/${agentId}/status`)

export async function registration(service: AgentService, agent: TestAgent) {
  const statement = statementOf(agent, service.clock.now())
  const signature = signWith(agent.operational.privateKey, canonicalize(statement))
  const response = await service.send(
    new Request(`${BASE_URL}/v1/agent-id/artifacts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ schema_version: "1.0.0", statement, payload: PAYLOAD, signature }),
    }),
  )
  return (await response.json()) as Record<string, unknown>
}

export async function serviceProof(service: AgentService, changes: Partial<ServiceProofPayload> = {}) {
  const { keys, store } = service.service
  const own = (await store.read(serviceIdentities)).find(({ use }) => use === "statement")
  const signer = keys.current()
  const at = service.clock.now()
  const digest = `sha256:${"0".repeat(64)}`
  return signedAnswer(signer, {
    domain: "svc.service-proof.v1",
    schema_version: "1.0.0",
    base_url: BASE_URL,
    issuer: signer.issuer,
    service_agent_id: own?.agentId ?? "",
    service_keys: [
      { key_id: signer.keyId, public_jwk: { kty: "OKP", crv: "Ed25519", x: issuerKey.x }, use: "statement" },
    ],
    build: { version: "1", commit: "c", binary_digest: null },
    capability_manifest_digest: digest,
    openapi_digest: null,
    log: { origin: "o", checkpoint: "c" },
    issued_at: formatInstant(at),
    valid_until: formatInstant(at + MINUTE),
    ...changes,
  })
}

export function sandboxSigner(service: AgentService): Signer {
  return service.service.keys.sandboxKey()
}

export function sandboxArtifact(
  service: AgentService,
  changes: Partial<SandboxArtifactPayload> = {},
  signer = sandboxSigner(service),
) {
  return signedAnswer(signer, {
    domain: "svc.sandbox.artifact.v1",
    schema_version: "1.0.0",
    issuer: "svc:sandbox",
    synthetic: true,
    environment: "SANDBOX",
    journey: "PAYMENT_DECISION_ALLOW",
    seed: 7,
    clock: "2026-01-15T12:00:00.000Z",
    artifact_type: "PROOF_CAPSULE",
    document: { payload: { decision: "ALLOW" } },
    ...changes,
  })
}

/** A genuine bundle around a history of four events that its holder made. */
export function madeUpBundle(genuine: AgentExportBundle, at: number): object {
  const events = [enrolment(newIdentity("made up", BASE_URL), at)]
  const log: object[] = []
  let state: IdentityState | null = null
  while (log.length < 4) {
    const { event, digest, signatures, after } = events.at(-1) as SignedEvent
    const outcome = applyKeyEvent(state, event, digest, formatInstant(at))
    if ("fault" in outcome) throw new Error(outcome.fault)
    state = outcome.state
    const receipt = structuredClone(genuine.key_event_log[0]?.receipt)
    if (receipt) receipt.payload.accepted_at = formatInstant(at)
    log.push({ event, signatures, receipt })
    events.push(routineRotation({ ...after, state }, at))
  }
  return { ...genuine, agent_id: state?.agentId, key_event_log: log }
}
