/** What an agent and an organization do with {@link EdgeClient}: identity, delegation, purchase, recovery. It imports nothing of the program. */
import {
  digestOf,
  draw,
  type EdgeClient,
  type EdgeKey,
  fingerprint,
  instant,
  type Json,
  leftOut,
  makeKey,
} from "./edge-client.ts"

export interface EdgeAgent {
  readonly agentId: string
  readonly operational: EdgeKey
  readonly recovery: EdgeKey
  readonly next: EdgeKey
}

export interface EdgeOrganization {
  readonly id: string
  readonly digest: string
  readonly key: EdgeKey
}

/** Returns the signature with another first character: well-formed and wrong. */
export const spoiled = (signature: string) => `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`

type Roles = Readonly<Record<string, EdgeKey>>

/** Asks for a challenge. `keys`: the key of each role that may have to sign. `spoil`: sends a wrong signature. */
export async function changeKeys(client: EdgeClient, request: Json, keys: Roles, spoil = false): Promise<Response> {
  const issued = await client.post("IssueAgentIdentityChallenge", { schema_version: "1.0.0", ...request })
  const told = (await issued.json()) as Json
  if (issued.status !== 201 && issued.status !== 200) throw new Error(JSON.stringify(told))
  const challenge = told["challenge"] as Json & { challenge_id: string }
  if (digestOf(challenge) !== told["challenge_digest"]) throw new Error("another digest than EVENT_DIGEST")
  const required = told["required_signatures"] as { role: string; key_id: string }[]
  const signatures = required.map(({ role, key_id }) => {
    const key = keys[role]
    if (key?.keyId !== key_id) throw new Error(`no key ${key_id} for ${role}`)
    const value = client.sign("KEY_EVENT", challenge, key)
    return { role, key_id, algorithm: "Ed25519", value: spoil ? spoiled(value) : value }
  })
  const body = { schema_version: "1.0.0", challenge_digest: told["challenge_digest"], signatures }
  const operation = spoil ? "ProveAgentIdentityChallengeByDescriptor" : "ProveAgentIdentityChallenge"
  return client.post(operation, body, { challengeId: challenge.challenge_id })
}

export function enrolmentRequest(operational: EdgeKey, recovery: EdgeKey, next: EdgeKey): Json {
  return {
    purpose: "ENROLLMENT",
    operational_public_jwk: operational.jwk,
    recovery_public_jwk: recovery.jwk,
    next_operational_key_digest: digestOf(next.jwk),
  }
}

export async function enrol(client: EdgeClient): Promise<EdgeAgent> {
  const [operational, recovery, next] = [makeKey(), makeKey(), makeKey()]
  const request = enrolmentRequest(operational, recovery, next)
  const proved = await changeKeys(client, request, { OPERATIONAL: operational, RECOVERY: recovery })
  const { agent_id } = (await proved.json()) as { agent_id?: string }
  if (agent_id === undefined) throw new Error("the agent was not enrolled")
  return { agentId: agent_id, operational, recovery, next }
}

export function delegation(
  client: EdgeClient,
  organization: EdgeOrganization,
  { agentId, operational: key }: EdgeAgent,
  scope: string,
): Json {
  const body: Json = {
    schema_version: "1.0.0",
    domain: "svc.buyer-delegation.v1",
    audience: client.origin,
    organization_id: organization.id,
    organization_digest: organization.digest,
    agent_id: agentId,
    key_id: key.keyId,
    scope: [scope],
    permitted_intents: ["RELEASE_PAYMENT_TO_SUPPLIER"],
    max_payment_amount: "50000",
    max_total_amount: null,
    max_requests_per_day: null,
    currency: "USD",
    valid_from: instant(-60),
    valid_until: instant(86_400),
    nonce: draw(),
    idempotency_key: draw(),
  }
  return {
    ...body,
    signature: client.signatureOf("DELEGATION", body, organization.key, organization.id),
    agent_acceptance: client.signatureOf("DELEGATION", body, key, agentId),
  }
}

async function exampleOf(client: EdgeClient, operation: string): Promise<Json> {
  return (await client.get(operation))["example"] as Json
}

/** The published example, with its own parties, times and obligation. */
export async function draftDecision(
  client: EdgeClient,
  organization: EdgeOrganization,
  { agentId, operational }: EdgeAgent,
  payer: string,
): Promise<Json> {
  const { buyer_mandate: _, ...example } = await exampleOf(client, "get_payment_decision_example")
  const destination = { type: "WALLET", value: `0x${"A1".repeat(20)}`, provider_namespace: "eip155:8453" }
  const payee = { ...destination, fingerprint: fingerprint(destination) }
  return {
    ...example,
    decision_fee_payer: payer,
    idempotency_key: draw(),
    requesting_agent: { agent_id: agentId, key_id: operational.keyId },
    buyer: { organization_id: organization.id, organization_digest: organization.digest },
    invoice: { obligation_id: `INV-${draw(6)}`, document_digest: digestOf("invoice") },
    payee,
    payment_destination: payee,
    risk_policy: { policy_id: "buyer-default", tolerance: "HIGH" },
    freshness_requirements: { max_age_seconds: 172_800, evaluated_at: instant() },
  }
}

/** The digest form REQUEST_DIGEST. */
export const requestDigest = (request: Json) =>
  digestOf(leftOut(request, ["/buyer_mandate", "/requesting_agent/request_signature"]))

export function mandateFor(client: EdgeClient, draft: Json, { id, digest, key }: EdgeOrganization): Json {
  const agent = draft["requesting_agent"] as Json
  const payload = {
    schema_version: "1.0.0",
    mandate_id: `mandate-${draw(9)}`,
    mandate_version: "1.0.0",
    issuer: id,
    subject_agent_id: agent["agent_id"],
    buyer_organization: id,
    buyer_organization_digest: digest,
    supplier_entity_id: (draft["supplier"] as Json)["entity_id"],
    key_id: key.keyId,
    request_digest: requestDigest(draft),
    payee_fingerprint: (draft["payee"] as Json)["fingerprint"],
    permitted_intent: draft["intent"],
    max_payment_amount: draft["amount"],
    currency: draft["currency"],
    max_decision_fee_atomic: "790000",
    valid_from: instant(-60),
    valid_until: instant(7200),
    nonce: draw(),
    revocation_reference: "https://buyer.example/mandates/1",
  }
  return {
    payload,
    mandate_digest: digestOf(payload),
    signature: client.signatureOf("MANDATE", payload, key, id),
  }
}

/** The body with the request signature of the form DECISION_REQUEST or VENDOR_CHANGE. */
export function signedRequest(client: EdgeClient, form: string, body: Json, key: EdgeKey): Json {
  const agent = body["requesting_agent"] as Json
  return { ...body, requesting_agent: { ...agent, request_signature: client.sign(form, body, key) } }
}

export function signedDecision(client: EdgeClient, draft: Json, organization: EdgeOrganization, key: EdgeKey): Json {
  const body = { ...draft, buyer_mandate: mandateFor(client, draft, organization) }
  return signedRequest(client, "DECISION_REQUEST", body, key)
}

export function recovery(client: EdgeClient, request: Json, key: EdgeKey, nonce = draw()): Json {
  const issued_at = instant()
  const value = {
    domain: "svc.payment-decision.recovery.v1",
    audience: client.origin,
    request_digest: requestDigest(request),
    issued_at,
    nonce,
  }
  return { request, authentication: { issued_at, nonce, signature: client.sign("RECOVERY", value, key) } }
}

export async function vendorChange(
  client: EdgeClient,
  organization: EdgeOrganization,
  { agentId, operational }: EdgeAgent,
): Promise<Json> {
  const example = await exampleOf(client, "get_us_vendor_payment_detail_change_authorize_example")
  const destination = {
    type: "WALLET",
    value: `0x${draw(40)
      .replace(/[^0-9a-f]/g, "0")
      .slice(0, 40)
      .padEnd(40, "1")}`,
  }
  const challenge = example["challenge"] as Json
  const body = {
    ...example,
    audience: client.origin,
    idempotency_key: draw(),
    buyer: { organization_id: organization.id, organization_digest: organization.digest },
    requesting_agent: { agent_id: agentId, key_id: operational.keyId },
    current_payee_fingerprint: null,
    proposed_payee_fingerprint: fingerprint(destination),
    prior_authorization_reference: null,
    challenge: { ...challenge, verified_at: instant(-60), valid_until: instant(72_000), reference: `call-${draw(9)}` },
    freshness_requirements: { max_age_seconds: 172_800, evaluated_at: instant() },
  }
  return signedRequest(client, "VENDOR_CHANGE", body, operational)
}

/** A message to sales or to the Intent Beacon. */
export function message(client: EdgeClient, form: string, agent: EdgeAgent, members: Json): Json {
  const body = {
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    agent_id: agent.agentId,
    key_id: agent.operational.keyId,
    audience: client.origin,
    issued_at: instant(),
    expires_at: instant(240),
    nonce: draw(),
    idempotency_key: `message-${draw(9)}`,
    ...members,
  }
  return client.signedBody(form, body, agent.operational, agent.agentId)
}
