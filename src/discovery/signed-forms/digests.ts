/** The digests and fingerprints that a caller must compute as the service does. Refusals name them beside the signed forms. */
import type { SignedForms } from "../../../schemas/discovery/signed-forms.ts"
import { agentIdOf, commitmentTo } from "../../core/agent-id.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import type { DigestFormName } from "../../core/forms/digest-forms.ts"
import { keyIdOf } from "../../core/jwk.ts"
import { DIGESTED } from "./values.ts"

type DigestForm = SignedForms["digests"][string]

const HEX = "sha256: and 64 lower-case hex digits"

/** The digest of the canonical text of `value`. */
function canonical(over: string, appears_at: readonly string[], value: object): DigestForm {
  const text = canonicalize(value)
  return { over, form: HEX, appears_at: [...appears_at], vector: { value, text, result: digestBytes(text) } }
}

const keyText = canonicalize(DIGESTED.key)
const nextKeyText = canonicalize(DIGESTED.nextKey)
const eventText = canonicalize(DIGESTED.event)
const bodyText = '{"company_number":"01234567"}'

export const DIGEST_FORMS: Readonly<Record<DigestFormName, DigestForm>> = {
  REQUEST_DIGEST: canonical(
    "SVC-C14N-JSON-1 of the decision request without /buyer_mandate and /requesting_agent/request_signature.",
    ["MANDATE request_digest", "RECOVERY request_digest", "request_digest of the delivered decision"],
    DIGESTED.request,
  ),
  MANDATE_DIGEST: canonical(
    "SVC-C14N-JSON-1 of the mandate's payload.",
    ["/buyer_mandate/mandate_digest", "MANDATE_REVOCATION mandate_digest"],
    DIGESTED.mandate,
  ),
  DESTINATION_FINGERPRINT: canonical(
    "SVC-C14N-JSON-1 of exactly {provider_namespace, type, value} of the destination: provider_namespace is null if it is absent, and a value that is an EVM address is in lower case.",
    ["/payee/fingerprint", "/payment_destination/fingerprint", "MANDATE payee_fingerprint"],
    DIGESTED.destination,
  ),
  REQUIREMENT_DIGEST: canonical(
    "SVC-C14N-JSON-1 of the ACP requirement without /buyer_authorization: the same for draft and final requirement.",
    ["JOB_BINDING requirement_digest"],
    DIGESTED.requirement,
  ),
  EVENT_DIGEST: canonical(
    "SVC-C14N-JSON-1 of the key event.",
    ["challenge_digest", "previous_event_digest of the next event", "event_digest"],
    DIGESTED.event,
  ),
  PAYLOAD_DIGEST: canonical(
    "SVC-C14N-JSON-1 of the payload: any JSON.",
    ["SIGNATURE_STATEMENT payload_digest", "digest beside a signed payload", "capsule_digest"],
    DIGESTED.payload,
  ),
  AGENT_ID: {
    over: "SVC-C14N-JSON-1 of the first key event of the agent.",
    form: "svc:agent: and the first 24 bytes of the SHA-256 in base64url",
    appears_at: ["agent_id"],
    vector: { value: DIGESTED.event, text: eventText, result: agentIdOf(digestBytes(eventText)) },
  },
  KEY_ID: {
    over: "SVC-C14N-JSON-1 of the public key {crv, kty, x}: the RFC 7638 thumbprint.",
    form: "ed25519- and the SHA-256 in base64url without padding",
    appears_at: ["key_id"],
    vector: { value: DIGESTED.key, text: keyText, result: keyIdOf(DIGESTED.key.x) },
  },
  NEXT_KEY_DIGEST: {
    over: "SVC-C14N-JSON-1 of the public key {crv, kty, x} that the next routine rotation introduces.",
    form: HEX,
    appears_at: ["next_operational_key_digest"],
    vector: { value: DIGESTED.nextKey, text: nextKeyText, result: commitmentTo(keyIdOf(DIGESTED.nextKey.x)) },
  },
  BODY_DIGEST: {
    over: "The bytes of the HTTP body as sent, not canonicalized.",
    form: HEX,
    appears_at: ["header X-CDO-Request-Body-Digest of the UK products"],
    vector: { value: JSON.parse(bodyText), text: bodyText, result: digestBytes(bodyText) },
  },
  ORGANIZATION_DIGEST: canonical(
    "What the operator and the organization agreed when the organization was entered, for example SVC-C14N-JSON-1 of its register entry. The service only compares it.",
    ["/buyer/organization_digest", "MANDATE buyer_organization_digest", "DELEGATION organization_digest"],
    DIGESTED.organization,
  ),
  CALLER_DIGEST: {
    over: "A document that only the caller has, for example the bytes of an invoice. The service compares it and never recomputes it.",
    form: HEX,
    appears_at: [
      "/invoice/document_digest",
      "/payment_instruction_digest",
      "/disclosure/audience_digest",
      "payee_fingerprint of the UK products",
      "fingerprints of a vendor change",
    ],
    vector: null,
  },
  CORE_DIGEST: {
    over: "SVC-C14N-JSON-1 of the delivered decision without /billing, /delivery and /proof_capsule.",
    form: HEX,
    appears_at: ["PROOF_CAPSULE core_digest"],
    vector: null,
  },
  ANSWER_CORE_DIGEST: {
    over: "SVC-C14N-JSON-1 of the delivered answer without /payment and /economic_activity, with replayed false and an empty authorization_token.",
    form: HEX,
    appears_at: ["ANSWER_CAPSULE core_digest"],
    vector: null,
  },
  RESPONSE_DIGEST: {
    over: "SVC-C14N-JSON-1 of the delivered decision without /delivery/response_digest.",
    form: HEX,
    appears_at: ["/delivery/response_digest", "evidence_references"],
    vector: null,
  },
}
