/** The value of each published vector. */

import { signatureExample } from "../../../schemas/agent-id/example-bodies.ts"
import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import {
  consentExample,
  dialogueExample,
  eventExample,
  optOutExample,
  revocationExample,
} from "../../../schemas/agent-mode/example-bodies.ts"
import {
  delegationExample,
  delegationRevocationExample,
  mandateRevocationExample,
} from "../../../schemas/us/example-bodies.ts"
import { agentIdOf, commitmentTo } from "../../core/agent-id.ts"
import { digestOf } from "../../core/digest.ts"
import { signerOf, testKey } from "../../core/forms/test-keys.ts"
import { publicJwk } from "../../core/jwk.ts"
import { type SignedFormName, signedForms } from "../../core/signed-forms.ts"
import { without } from "../../core/without.ts"
import { EXAMPLE_BUYER } from "../../products/us/example-members.ts"
import { decisionValues } from "./decision-values.ts"
import { RECORD_EXAMPLE } from "./passkey-vector.ts"
import { valueOfSchema } from "./value-of-schema.ts"

const AUDIENCE = "https://svc.example"
const SERVICE = "svc"
/** What `SIGNATURE_STATEMENT` signs the digest of. */
const PAYLOAD = { text: "example" }

const OPERATIONAL = testKey("AGENT_OPERATIONAL_KEY")
const RECOVERY = testKey("AGENT_RECOVERY_KEY")
const NEXT = testKey("NEXT_OPERATIONAL_KEY")
const MANDATE = testKey("ORGANIZATION_MANDATE_KEY")

/** The event with which the test agent would enrol. */
const ENROLMENT: KeyEvent = {
  domain: "svc.agent-identity.key-event.v1",
  schema_version: "1.0.0",
  claim: "KEY_CONTROL_ONLY",
  audience: AUDIENCE,
  purpose: "ENROLLMENT",
  challenge_id: "A".repeat(32),
  nonce: "example-nonce-0000000000000000000",
  issued_at: "2026-11-20T09:00:00Z",
  expires_at: "2026-11-20T09:10:00Z",
  agent_id: null,
  sequence: 0,
  previous_event_digest: null,
  keys: {
    operational: { key_id: OPERATIONAL.keyId, public_jwk: publicJwk(OPERATIONAL.x) },
    recovery: { key_id: RECOVERY.keyId, public_jwk: publicJwk(RECOVERY.x) },
  },
  next_operational_key_digest: commitmentTo(NEXT.keyId),
  change: { kind: "ENROLL", authorized_by: ["OPERATIONAL", "RECOVERY"] },
}

/** The test agent's id is made from its enrolment, as a real one. */
export const TEST_AGENT = agentIdOf(digestOf(ENROLMENT))

const agent = { agent_id: TEST_AGENT, key_id: OPERATIONAL.keyId }
const decision = decisionValues({
  agent: signerOf(OPERATIONAL, TEST_AGENT),
  mandate: signerOf(MANDATE, EXAMPLE_BUYER.organization_id),
  audience: AUDIENCE,
})

const CALLER_VALUES: Readonly<Partial<Record<SignedFormName, object>>> = {
  ...decision.values,
  KEY_EVENT: ENROLMENT,
  SIGNATURE_STATEMENT: { ...signatureExample.statement, ...agent, payload_digest: digestOf(PAYLOAD) },
  DELEGATION: {
    ...without(delegationExample, "signature", "agent_acceptance"),
    ...agent,
    organization_digest: EXAMPLE_BUYER.organization_digest,
  },
  DELEGATION_REVOCATION: without(delegationRevocationExample, "signature"),
  MANDATE_REVOCATION: {
    ...without(mandateRevocationExample, "signature"),
    mandate_digest: digestOf(decision.values.MANDATE),
  },
  SALES_DIALOGUE: messageValue(dialogueExample),
  SALES_OPT_OUT: messageValue(optOutExample),
  BEACON_CONSENT: messageValue(consentExample),
  BEACON_REVOCATION: messageValue(revocationExample),
  BEACON_EVENT: messageValue(eventExample),
  REVIEW_RECORD: RECORD_EXAMPLE,
}

function messageValue(example: object): object {
  return { ...Object.fromEntries(Object.entries(example).filter(([name]) => name !== "signature")), ...agent }
}

/** Members of the documents that the service signs. */
const SERVICE_MEMBERS = {
  ...agent,
  issuer: SERVICE,
  audience: AUDIENCE,
  base_url: AUDIENCE,
  service: AUDIENCE,
  organization_id: EXAMPLE_BUYER.organization_id,
  keys: ["uei:ZQGGHJH74DW7"],
  valid_from: "2026-11-23T09:00:00Z",
  valid_until: "2026-11-23T09:30:00Z",
  expires_at: "2026-11-23T09:15:00Z",
  fresh_until: "2026-11-23T09:01:00Z",
}

export function exampleValue(name: SignedFormName): unknown {
  return CALLER_VALUES[name] ?? valueOfSchema(signedForms[name].schema, SERVICE_MEMBERS)
}

/** What the digests of the table cover. */
export const DIGESTED = {
  ...decision.digested,
  mandate: decision.values.MANDATE,
  event: ENROLMENT,
  payload: PAYLOAD,
  organization: { name: "Acme Example Inc." },
  key: publicJwk(OPERATIONAL.x),
  nextKey: publicJwk(NEXT.x),
}

/** The issuer under which each test key signs. */
export const ISSUERS = {
  AGENT_OPERATIONAL_KEY: TEST_AGENT,
  AGENT_RECOVERY_KEY: TEST_AGENT,
  NEXT_OPERATIONAL_KEY: TEST_AGENT,
  ORGANIZATION_MANDATE_KEY: EXAMPLE_BUYER.organization_id,
  SERVICE_STATEMENT_KEY: SERVICE,
  SERVICE_SANDBOX_KEY: `${SERVICE}:sandbox`,
  LIST_KEY: "lists",
  REVIEWER_PASSKEY: RECORD_EXAMPLE.reviewer,
} as const
