import { type SentStatement, SIGNATURE_DOMAIN, type StatementVerification } from "../../schemas/agent-id/signature.ts"
import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestOf } from "../core/digest.ts"
import { signWith } from "../core/ed25519.ts"
import { isSignedForm } from "../core/signed-forms.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import { WINDOW_SECONDS_MAX } from "../products/agent-id/signature-window.ts"
import type { SigningKey } from "./keys.ts"

const NONCE_BYTES = 32

interface StatementParts {
  readonly agentId: string
  readonly key: SigningKey
  readonly payload: unknown
  readonly audience: string
  readonly actionType: string
  readonly context: SentStatement["context"]
  readonly machine: Pick<Machine, "now" | "random">
}

/** Returns the body of a verification request: the statement over the payload's digest, its signature, and the payload. */
export function signStatement(parts: StatementParts): StatementVerification | null {
  const at = parts.machine.now()
  const statement: SentStatement = {
    schema_version: "1.0.0",
    domain: SIGNATURE_DOMAIN,
    agent_id: parts.agentId,
    key_id: parts.key.keyId,
    algorithm: "Ed25519",
    canonicalization: "SVC-C14N-JSON-1",
    audience: parts.audience,
    action_type: parts.actionType,
    context: parts.context,
    payload_digest: digestOf(parts.payload),
    nonce: encodeBase64url(parts.machine.random(NONCE_BYTES)),
    issued_at: formatInstant(at),
    expires_at: formatInstant(at + WINDOW_SECONDS_MAX * SECOND),
  }
  if (!isSignedForm("SIGNATURE_STATEMENT", statement)) return null
  return {
    schema_version: "1.0.0",
    statement,
    payload: parts.payload,
    signature: signWith(parts.key.privateKey, canonicalize(statement)),
  }
}
