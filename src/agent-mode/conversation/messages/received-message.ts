/** Signature and scope of a message. */
import type { MessageScope, SignedMessage } from "../../../../schemas/agent-mode/signed-message.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../../core/digest.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import { instant } from "../../../core/time.ts"
import { without } from "../../../core/without.ts"
import type { Call } from "../../../http/call.ts"
import type { SignerState } from "../../../store/agent-mode/message-facts.ts"
import type { MessageMarks } from "../../../store/agent-mode/messages.ts"
import type { Store } from "../../../store/engine/unit.ts"
import type { FreeWriter } from "../../../store/free-writes/admit.ts"
import { findSigner } from "../../../store/identity/signature-facts.ts"
import { markOf } from "./message-marks.ts"
import { type Refusal, refusal, refusalError } from "./refusal.ts"

interface MessageDeps {
  readonly store: Store
  readonly baseUrl: () => string
}

/** A message whose signature verified. Whether its key is still active is asked again in the acting unit. */
export interface ReceivedMessage extends Omit<MessageMarks, "eventMark"> {
  readonly agentId: string
  readonly keyId: string
  readonly domain: string
  /** Of the signed content: the message without its signature. */
  readonly requestDigest: Digest
  /** Milliseconds, as `at`. */
  readonly expiresAt: number
  readonly at: number
  readonly writer: FreeWriter
}

/** Throws AGENT_SIGNATURE_REJECTED or AGENT_SCOPE_REJECTED for the first fault. The message passed its schema and {@link requireCurrent}. */
export async function requireSigned(
  { store, baseUrl }: MessageDeps,
  message: SignedMessage,
  scope: MessageScope,
  call: Pick<Call<unknown>, "at" | "writer">,
): Promise<ReceivedMessage> {
  const { agent_id: agentId, key_id: keyId, domain } = message
  const realm = baseUrl()
  const reject = (reason: string, detail: string) =>
    refusalError(refusal("AGENT_SIGNATURE_REJECTED", reason, detail), realm)
  if (message.audience !== realm) throw reject("AUDIENCE_DIFFERS", "The audience is not this service's base address.")
  const signer = await store.readTogether(() => findSigner(agentId, keyId))
  const fault = signerRefusal(signer)
  if (fault) throw refusalError(fault, realm)
  const content = canonicalize(without(message, "signature"))
  if (!isSignedWith(signer?.key?.x ?? "", message, content)) {
    throw reject("SIGNATURE_MISMATCH", "The signature does not verify over the message without its signature.")
  }
  if (!message.scopes.includes(scope)) {
    throw refusalError(refusal("AGENT_SCOPE_REJECTED", "SCOPE_MISSING", `scopes must contain ${scope}.`), realm)
  }
  return {
    agentId,
    keyId,
    domain,
    keyMark: markOf({ agent_id: agentId, domain, idempotency_key: message.idempotency_key }),
    nonceMark: markOf({ agent_id: agentId, key_id: keyId, nonce: message.nonce }),
    requestDigest: digestBytes(content),
    expiresAt: instant(message.expires_at),
    at: call.at,
    writer: call.writer(),
  }
}

/** CHOICE: a signature that names another issuer or key than the message is one of somebody else. */
function isSignedWith(x: string, { agent_id, key_id, signature }: SignedMessage, content: string): boolean {
  return signature.issuer === agent_id && signature.key_id === key_id && verifySignature(x, content, signature.value)
}

/** Null: the agent exists, and the key is its active operational key. */
export function signerRefusal(signer: SignerState | null): Refusal | null {
  if (signer === null) return refusal("AGENT_SIGNATURE_REJECTED", "AGENT_UNKNOWN", "No such agent is enrolled here.")
  const { identityStatus, key } = signer
  if (identityStatus === "ACTIVE" && key?.role === "OPERATIONAL" && key.status === "ACTIVE") return null
  return refusal("AGENT_SIGNATURE_REJECTED", "KEY_NOT_ACTIVE", "The key is not the agent's active operational key.")
}
