/** Signature and scope of a message. */
import type { MessageScope, SignedMessage } from "../../../../schemas/agent-mode/signed-message.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../../core/digest.ts"
import { signatureFaultAside, verifySignature } from "../../../core/ed25519.ts"
import { instant } from "../../../core/time.ts"
import { without } from "../../../core/without.ts"
import type { Call } from "../../../http/call.ts"
import type { Shell } from "../../../http/shell.ts"
import type { SignerState } from "../../../store/agent-mode/message-facts.ts"
import type { MessageMarks } from "../../../store/agent-mode/messages.ts"
import type { Store } from "../../../store/engine/unit.ts"
import type { FreeWriter } from "../../../store/free-writes/admit.ts"
import { findSigner } from "../../../store/identity/signature-facts.ts"
import { HAS_OTHER_PROCESSORS, untilHandover } from "../../other-processors.ts"
import type { AgentKeys } from "./agent-keys.ts"
import { markOf } from "./message-marks.ts"
import { type Refusal, refusal, refusalError } from "./refusal.ts"

export interface MessageDeps {
  readonly shell: Pick<Shell, "socket">
  readonly store: Store
  readonly baseUrl: () => string
  readonly agentKeys: AgentKeys
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

/**
 * Throws AGENT_SIGNATURE_REJECTED or AGENT_SCOPE_REJECTED. The message passed its schema and {@link requireCurrent}. A message that verifies
 * under a known key of its agent needs no read: the acting unit reads whether the key is active.
 */
export async function requireSigned(
  deps: MessageDeps,
  message: SignedMessage,
  scope: MessageScope,
  call: Pick<Call<unknown>, "at" | "writer">,
): Promise<ReceivedMessage> {
  const { agent_id: agentId, key_id: keyId, domain } = message
  const content = canonicalize(without(message, "signature"))
  const known = deps.agentKeys.find(agentId, keyId)
  const isVerified = known !== null && (await isSignedWith(deps, known, message, content))
  const isAccepted = isVerified && message.audience === deps.baseUrl() && message.scopes.includes(scope)
  if (!isAccepted) await requireAccepted(deps, message, scope, content)
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

/** Checks everything anew, so that the first fault is named. */
async function requireAccepted(
  { shell, store, baseUrl, agentKeys }: MessageDeps,
  message: SignedMessage,
  scope: MessageScope,
  content: string,
): Promise<void> {
  const reject = (reason: string, detail: string): never => {
    throw refusalError(refusal("AGENT_SIGNATURE_REJECTED", reason, detail), baseUrl())
  }
  const { agent_id: agentId, key_id: keyId } = message
  if (message.audience !== baseUrl()) reject("AUDIENCE_DIFFERS", "The audience is not this service's base address.")
  const signer = await store.readTogether(() => findSigner(agentId, keyId))
  const fault = signerRefusal(signer)
  if (fault) throw refusalError(fault, baseUrl())
  const x = signer?.key?.x ?? ""
  if (!(await isSignedWith({ shell }, x, message, content))) {
    reject("SIGNATURE_MISMATCH", "The signature does not verify over the message without its signature.")
  }
  agentKeys.keep(agentId, keyId, x)
  if (!message.scopes.includes(scope)) {
    throw refusalError(refusal("AGENT_SCOPE_REJECTED", "SCOPE_MISSING", `scopes must contain ${scope}.`), baseUrl())
  }
}

/** CHOICE: a signature that names another issuer or key than the message is one of somebody else. */
async function isSignedWith(
  { shell }: Pick<MessageDeps, "shell">,
  x: string,
  { agent_id, key_id, signature }: SignedMessage,
  content: string,
): Promise<boolean> {
  const isOwn = signature.issuer === agent_id && signature.key_id === key_id
  if (!isOwn || !HAS_OTHER_PROCESSORS) return isOwn && verifySignature(x, content, signature.value)
  await untilHandover(shell)
  return (await signatureFaultAside(x, content, signature.value)) === null
}

/** Null: the agent exists, and the key is its active operational key. */
export function signerRefusal(signer: SignerState | null): Refusal | null {
  if (signer === null) return refusal("AGENT_SIGNATURE_REJECTED", "AGENT_UNKNOWN", "No such agent is enrolled here.")
  const { identityStatus, key } = signer
  if (identityStatus === "ACTIVE" && key?.role === "OPERATIONAL" && key.status === "ACTIVE") return null
  return refusal("AGENT_SIGNATURE_REJECTED", "KEY_NOT_ACTIVE", "The key is not the agent's active operational key.")
}
