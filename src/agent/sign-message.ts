/** Signs a message of an agent to agent mode and sends it. The private key never leaves this machine. */
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import type { MessageScope } from "../../schemas/agent-mode/signed-message.ts"
import type { Operation } from "../../schemas/operation.ts"
import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { type Digest, digestOf } from "../core/digest.ts"
import { signValue } from "../core/signer.ts"
import { formatInstant, MINUTE } from "../core/time.ts"
import type { KeyFile } from "./forms/key-file.ts"
import { signingKey } from "./keys.ts"
import { requireForm } from "./require-form.ts"
import { postText, promisedBody, refused, type Send, type ServiceReply } from "./service-call.ts"

const MINUTES = 5

export interface MessageSigner {
  readonly agentId: string
  readonly keys: KeyFile
  /** Origin of the service. */
  readonly server: string
  readonly machine: Machine
}

export interface WantedMessage {
  readonly schema: TSchema & { readonly properties: { readonly domain: { readonly const: string } } }
  readonly scope: MessageScope
  /** Its own members, without those of the envelope. */
  readonly members: Readonly<Record<string, unknown>>
}

interface SignedText {
  readonly text: string
  /** Of the message without its signature. */
  readonly digest: Digest
}

/** Throws CommandError (2) if the service would not accept the message by its schema. */
export function signMessage({ agentId, keys, server, machine }: MessageSigner, wanted: WantedMessage): SignedText {
  const { keyId, privateKey } = signingKey(keys.operational)
  const now = machine.now()
  const content = {
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    domain: wanted.schema.properties.domain.const,
    agent_id: agentId,
    key_id: keyId,
    audience: server,
    scopes: [wanted.scope],
    issued_at: formatInstant(now),
    expires_at: formatInstant(now + MINUTES * MINUTE),
    nonce: encodeBase64url(machine.random(32)),
    idempotency_key: `k${encodeBase64url(machine.random(16)).replaceAll(/[-_]/g, ".")}`,
    ...wanted.members,
  }
  const message = { ...content, signature: signValue({ issuer: agentId, keyId, privateKey }, content) }
  requireForm(TypeCompiler.Compile(wanted.schema), message, "the message was not sent")
  return { text: canonicalize(message), digest: digestOf(content) }
}

interface SentMessage {
  readonly row: Operation
  /** Replaces the row's template. */
  readonly path?: string
  /** Of the answer that the row promises. */
  readonly status: number
  readonly step: string
  readonly send: Send
}

interface MessageReply<Body> extends Omit<ServiceReply, "body"> {
  readonly body: Body
  /** Of the message without its signature. */
  readonly digest: Digest
}

/** Throws CommandError: 2 not a message, 3 refused, 4 no answer, an answer that the row does not promise, or try again later. */
export async function sendMessage<Body>(
  signer: MessageSigner,
  wanted: WantedMessage,
  { row, path = row.path, status, step, send }: SentMessage,
): Promise<MessageReply<Body>> {
  const { text, digest } = signMessage(signer, wanted)
  const reply = await postText(send, `${signer.server}${path}`, text)
  if (reply.status !== status) throw refused(step, reply)
  return { ...reply, body: promisedBody<Body>(row, reply, `the ${step}`), digest }
}
