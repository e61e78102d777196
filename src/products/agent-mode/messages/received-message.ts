/** Signature and scope of a message. */
import type { MessageScope, SignedMessage } from "../../../../schemas/agent-mode/signed-message.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../../core/digest.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import { instant } from "../../../core/time.ts"
import { without } from "../../../core/without.ts"
import { findSigner, type NamedSigner } from "../../../store/identity/signature-facts.ts"
import type { Store } from "../../../store/unit.ts"
import { type Refusal, refusal, refusalError } from "./refusal.ts"

export interface MessageDeps {
  readonly store: Store
  readonly baseUrl: () => string
}

/** A message whose signature verified. Whether its key is still active is asked again in the acting unit. */
export interface ReceivedMessage {
  readonly agentId: string
  readonly keyId: string
  readonly domain: string
  readonly idempotencyKey: string
  /** Of the signed content: the message without its signature. */
  readonly requestDigest: Digest
  readonly nonce: string
  /** Milliseconds, as `at`. */
  readonly expiresAt: number
  readonly at: number
}

/** Throws AGENT_SIGNATURE_REJECTED or AGENT_SCOPE_REJECTED. The message passed its schema and {@link requireCurrent}. */
export async function requireSigned(
  { store, baseUrl }: MessageDeps,
  message: SignedMessage,
  scope: MessageScope,
  at: number,
): Promise<ReceivedMessage> {
  const reject = (reason: string, detail: string): never => {
    throw refusalError(refusal("AGENT_SIGNATURE_REJECTED", reason, detail), baseUrl())
  }
  const { agent_id: agentId, key_id: keyId, audience, signature } = message
  if (audience !== baseUrl()) reject("AUDIENCE_DIFFERS", "The audience is not this service's base address.")
  const signer = await store.readTogether(() => findSigner(agentId, keyId))
  const fault = signerRefusal(signer)
  if (fault) throw refusalError(fault, baseUrl())
  const content = canonicalize(without(message, "signature"))
  // CHOICE: a signature that names another issuer or key than the message is one of somebody else.
  const isOwn = signature.issuer === agentId && signature.key_id === keyId
  if (!isOwn || !verifySignature(signer?.key?.x ?? "", content, signature.value)) {
    reject("SIGNATURE_MISMATCH", "The signature does not verify over the message without its signature.")
  }
  if (!message.scopes.includes(scope)) {
    throw refusalError(refusal("AGENT_SCOPE_REJECTED", "SCOPE_MISSING", `scopes must contain ${scope}.`), baseUrl())
  }
  return {
    agentId,
    keyId,
    domain: message.domain,
    idempotencyKey: message.idempotency_key,
    requestDigest: digestBytes(content),
    nonce: message.nonce,
    expiresAt: instant(message.expires_at),
    at,
  }
}

/** Null: the agent exists, and the key is its active operational key. */
export function signerRefusal(signer: NamedSigner | null): Refusal | null {
  if (signer === null) return refusal("AGENT_SIGNATURE_REJECTED", "AGENT_UNKNOWN", "No such agent is enrolled here.")
  const { identityStatus, key } = signer
  if (identityStatus === "ACTIVE" && key?.role === "OPERATIONAL" && key.status === "ACTIVE") return null
  return refusal("AGENT_SIGNATURE_REJECTED", "KEY_NOT_ACTIVE", "The key is not the agent's active operational key.")
}
