/** The signed HTTP request of an agent (scheme `agentEd25519`), described for the document of signed forms. */
import type { SignedForms } from "../../../schemas/discovery/signed-forms.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { decodeBase64url } from "../../core/base64url.ts"
import { signWith } from "../../core/ed25519.ts"
import { testKey } from "../../core/forms/test-keys.ts"
import {
  CLOCK_SKEW_SECONDS,
  expectedHeaders,
  HTTP_SIGNATURE_PROFILE,
  signedHttpHeaders,
  WINDOW_SECONDS_MAX,
} from "../../core/http-signature/http-signature.ts"
import { SECOND } from "../../core/time.ts"
import { TEST_AGENT } from "./values.ts"

type HttpForm = SignedForms["http_forms"][string]

const BODY = '{"environment":"LIVE"}'

const REQUEST = {
  method: "POST",
  authority: "svc.example",
  path: "/v1/agent-mode/proof-wallet/inventory",
  query: "",
  content_type: "application/json",
  body: BODY,
} as const

export function agentRequestForm(operations: readonly Operation[]): HttpForm {
  const { label, components, parameters, fixedParameters } = HTTP_SIGNATURE_PROFILE
  return {
    purpose: "An agent signs one HTTP request to this service (RFC 9421, RFC 9530).",
    signers: ["AGENT_OPERATIONAL_KEY"],
    key_rule: "The ACTIVE operational key of the agent in Svc-Agent-Id; keyid is its key id.",
    label,
    components: [...components],
    parameters: [...parameters],
    fixed_parameters: Object.fromEntries(fixedParameters),
    headers: expectedHeaders("").map(([name]) => name),
    content_digest: "One digest of the body's bytes, sha-256 or sha-512, also of an empty body.",
    lifetime: `expires is after created by at most ${WINDOW_SECONDS_MAX} seconds; both may differ from the server's time by ${CLOCK_SKEW_SECONDS} seconds.`,
    nonce: "32 random bytes in base64url, 43 characters; it is taken once.",
    operations: operations.filter(({ authentication }) => authentication === "AGENT_ED25519").map(({ id }) => id),
    vector: requestVector(),
  }
}

function requestVector(): HttpForm["vector"] {
  const key = testKey("AGENT_OPERATIONAL_KEY")
  const { method, authority, path, query, content_type: contentType } = REQUEST
  const created = Date.UTC(2026, 10, 23, 9) / SECOND
  const names = {
    agentId: TEST_AGENT,
    keyId: key.keyId,
    nonce: "A".repeat(43),
    created,
    expires: created + WINDOW_SECONDS_MAX,
  }
  const message = { method, authority, path, query, contentType, body: new TextEncoder().encode(BODY) }
  let text = ""
  const headers = signedHttpHeaders(message, names, (base) => {
    text = base
    const signature = decodeBase64url(signWith(key.privateKey, base), 64)
    if (signature === null) throw new Error("a signature does not have 64 bytes")
    return signature
  })
  return { request: REQUEST, text, headers, test_key: key.name }
}
