/** Complete bodies of free routes for the documents. Names and keys are invented; no signature in them verifies. */

const DIGEST = `sha256:${"0".repeat(64)}`
const NONCE = "example-nonce-0000000000000000000"
const MANDATE_KEY = `ed25519-${"A".repeat(43)}`
const AGENT_KEY = `ed25519-${"B".repeat(43)}`
const AGENT = `svc:agent:${"A".repeat(32)}`
const ORGANIZATION = "org:example:acme"

function signedBy(issuer: string, key_id: string) {
  const value = "A".repeat(86)
  return { algorithm: "Ed25519", canonicalization: "SVC-C14N-JSON-1", issuer, key_id, value } as const
}

export const delegationExample = {
  schema_version: "1.0.0",
  domain: "svc.buyer-delegation.v1",
  audience: "https://svc.example",
  organization_id: ORGANIZATION,
  organization_digest: DIGEST,
  agent_id: AGENT,
  key_id: AGENT_KEY,
  scope: ["SIGN_REQUEST"],
  permitted_intents: ["RELEASE_PAYMENT_TO_SUPPLIER"],
  max_payment_amount: "25000.00",
  max_total_amount: null,
  max_requests_per_day: 20,
  currency: "USD",
  valid_from: "2026-11-23T09:00:00Z",
  valid_until: "2026-12-23T09:00:00Z",
  nonce: NONCE,
  idempotency_key: "delegation-0001",
  signature: signedBy(ORGANIZATION, MANDATE_KEY),
  agent_acceptance: signedBy(AGENT, AGENT_KEY),
} as const

const revocation = {
  schema_version: "1.0.0",
  audience: "https://svc.example",
  organization_id: ORGANIZATION,
  reason: "The agent was retired",
  issued_at: "2026-11-23T09:00:00Z",
  nonce: NONCE,
  signature: signedBy(ORGANIZATION, MANDATE_KEY),
} as const

export const delegationRevocationExample = {
  ...revocation,
  domain: "svc.delegation-revocation.v1",
  delegation_id: `dgn_${"A".repeat(22)}`,
} as const

export const mandateRevocationExample = {
  ...revocation,
  domain: "svc.mandate-revocation.v1",
  mandate_id: "mandate-2026-0042",
  mandate_digest: DIGEST,
} as const

/** A draft that an agent begins with, and what it wants. */
export const decisionContactExample = {
  intent: "RELEASE_PAYMENT_TO_SUPPLIER",
  draft_request: {
    schema_version: "1.0.0",
    supplier: { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } },
    amount: "1250.00",
    currency: "USD",
  },
} as const

/** What an agent knows early about a payment. */
export const decisionEligibilityExample = {
  schema_version: "1.0.0",
  intent: "RELEASE_PAYMENT_TO_SUPPLIER",
  supplier: {
    entity_id: "supplier-0042",
    legal_name: "Harbor Light Instruments LLC",
    identifiers: { uei: "ZQGGHJH74DW7" },
  },
  amount: "1250.00",
  currency: "USD",
} as const
