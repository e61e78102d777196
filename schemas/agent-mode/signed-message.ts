/** The envelope of every signed message of an agent: who, to whom, for what, when, once. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, DateTime, enumeration, KeyId, Nonce, SignatureObject } from "../common.ts"
import { contractMembers, MessageKey, Origin } from "./notation.ts"

export const MessageScope = enumeration("SALES_DIALOGUE", "INTENT_BEACON", "SALES_OPT_OUT")
export type MessageScope = Static<typeof MessageScope>

/** `audience` is the service's base address. The agent's operational key signs C14N of the message without `signature`. */
export function messageMembers<const Domain extends string>(domain: Domain) {
  return {
    ...contractMembers,
    domain: Type.Literal(domain),
    agent_id: AgentId,
    key_id: KeyId,
    audience: Origin,
    scopes: Type.Array(MessageScope, { minItems: 1, maxItems: 3, uniqueItems: true }),
    issued_at: DateTime,
    expires_at: DateTime,
    nonce: Nonce,
    idempotency_key: MessageKey,
    signature: SignatureObject,
  }
}

/** The members that all signed messages have. */
export interface SignedMessage {
  readonly domain: string
  readonly agent_id: string
  readonly key_id: string
  readonly audience: string
  readonly scopes: readonly MessageScope[]
  readonly issued_at: string
  readonly expires_at: string
  readonly nonce: string
  readonly idempotency_key: string
  readonly signature: SignatureObject
}
