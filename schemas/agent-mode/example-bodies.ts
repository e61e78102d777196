/** Complete bodies for the documents. Nobody has the agent id, and no signature in them verifies. */
import { EXAMPLE_AGENT, EXAMPLE_DIGEST, EXAMPLE_KEY_ID, SIGNATURE_TEXT } from "../agent-id/example-bodies.ts"
import { BASE_NETWORK } from "../network.ts"
import type { MessageScope } from "./signed-message.ts"

const CONTRACT = { schema_version: "1.0.0", contract_version: "1.0.0" } as const
const SIGNATURE = {
  algorithm: "Ed25519",
  canonicalization: "SVC-C14N-JSON-1",
  issuer: EXAMPLE_AGENT,
  key_id: EXAMPLE_KEY_ID,
  value: SIGNATURE_TEXT,
} as const
const CONSENT_ID = "consent-2026-1"

function message(domain: string, scope: MessageScope, members: object): object {
  return {
    ...CONTRACT,
    domain,
    agent_id: EXAMPLE_AGENT,
    key_id: EXAMPLE_KEY_ID,
    audience: "https://svc.example",
    scopes: [scope],
    issued_at: "2026-11-23T09:00:00Z",
    expires_at: "2026-11-23T09:05:00Z",
    nonce: "example-nonce-0000000000000000000",
    idempotency_key: "example-message-1",
    ...members,
    signature: SIGNATURE,
  }
}

export const dialogueExample = message("svc.sales.dialogue.v1", "SALES_DIALOGUE", {
  dialogue_id: "dialogue-2026-1",
  turn: 0,
  in_reply_to: null,
  channel: "http-api",
  topic: "PRICE",
  product_ids: ["us.company.check.v1"],
  questions: [{ question_code: "LIST_PRICE", product_id: null }],
  constraints: null,
  acknowledged_offers: [],
})

export const optOutExample = message("svc.sales.opt-out.v1", "SALES_OPT_OUT", {
  scope: "ALL",
  product_id: null,
  channel: null,
})

export const consentExample = message("svc.beacon.consent.v1", "INTENT_BEACON", {
  consent_id: CONSENT_ID,
  purpose: "INTENT_BEACON",
  event_kinds: ["INTENT_OPENED", "INTENT_CLOSED"],
  channels: ["http-api"],
  policy_version: "1.0.0",
  valid_from: "2026-11-23T09:00:00Z",
  valid_until: "2026-12-23T09:00:00Z",
  max_events_per_day: 10,
})

export const revocationExample = message("svc.beacon.revocation.v1", "INTENT_BEACON", { consent_id: CONSENT_ID })

export const eventExample = message("svc.beacon.event.v1", "INTENT_BEACON", {
  event_id: "event-2026-1",
  consent_id: CONSENT_ID,
  event_kind: "INTENT_OPENED",
  product_id: null,
  channel: "http-api",
  occurred_at: "2026-11-23T09:00:00Z",
})

export const planningExample = {
  ...CONTRACT,
  intent: "CHECK_US_COMPANY",
  product_id: null,
  jurisdiction: "US",
  coverage: "FEDERAL_ONLY",
  requesting_agent: null,
  provided_inputs: ["/company/legal_name"],
  input_digests: {},
  evidence_references: [],
  budget: { max_amount_atomic: "1000000", asset: "USDC", network: BASE_NETWORK },
  authority: { mandate_digest: null, delegation_id: null },
  freshness_requirements: { max_age_seconds: 86_400, evaluated_at: "2026-11-23T09:00:00Z" },
  correlation: { correlation_id: "example-correlation-1", trace_id: "example-trace-1" },
  continuation: null,
  idempotency_key: "example-plan-1",
} as const

/** The pointer of the whole body: a quote is for an intent without missing inputs. */
export const quoteExample = { ...planningExample, provided_inputs: [""] } as const

export const importExample = {
  ...CONTRACT,
  environment: "SANDBOX",
  idempotency_key: "example-import-1",
  artifact: {
    artifact_type: "PROOF_CAPSULE",
    document: {
      payload: {
        domain: "svc.sandbox.artifact.v1",
        schema_version: "1.0.0",
        issuer: "example-operator:sandbox",
        synthetic: true,
        environment: "SANDBOX",
        journey: "UK_PAYMENT_REVIEW",
        seed: 1,
        clock: "2026-11-23T09:00:00Z",
        artifact_type: "PROOF_CAPSULE",
        document: {},
      },
      digest: EXAMPLE_DIGEST,
      signature: { ...SIGNATURE, issuer: "example-operator:sandbox" },
    },
  },
  retention: { mode: "DIGEST_ONLY", until: "2026-12-23T09:00:00Z" },
} as const

export const inventoryExample = {
  ...CONTRACT,
  environment: "LIVE",
  filter: { artifact_types: [], validity: "CURRENT", issuer: null },
  page: { limit: 20, cursor: null },
} as const

export const bootstrapExample = {
  ...CONTRACT,
  environment: "LIVE",
  agent_id: null,
  requested_capabilities: ["AGENT_IDENTITY", "PURCHASE"],
  idempotency_key: "example-bootstrap-1",
}
