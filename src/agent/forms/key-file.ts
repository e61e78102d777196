/** The content of a key file: the private JWKs of an agent, and the results of enrolment and later changes. */
import { type Static, Type } from "@sinclair/typebox"
import { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { EventReceipt } from "../../../schemas/agent-id/proof.ts"
import { AgentId, closed, Digest, KeyId } from "../../../schemas/common.ts"

const Base64url32 = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" })
export const PrivateJwk = closed({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Base64url32,
  d: Base64url32,
})
export type PrivateJwk = Static<typeof PrivateJwk>

export const KeyFile = closed({
  operational: PrivateJwk,
  recovery: PrivateJwk,
  /** The operational key that the last event committed to. The next routine rotation must use this key. */
  next: Type.Optional(PrivateJwk),
  /** A signed event without an answer yet. Repeating its proof after a lost response gives the same result. */
  pending: Type.Optional(KeyEvent),
  /** Keys that the pending event adds or commits to. Stored before they are sent to anyone. */
  pending_keys: Type.Optional(
    closed({
      operational: Type.Optional(PrivateJwk),
      recovery: Type.Optional(PrivateJwk),
      next: Type.Optional(PrivateJwk),
    }),
  ),
  server: Type.Optional(Type.String()),
  agent_id: Type.Optional(AgentId),
  /** Key id of the operational key. */
  key_id: Type.Optional(KeyId),
  /** The agent's own copy of the head of its history. The next event must build on it, whatever a server says. */
  head: Type.Optional(
    closed({ sequence: Type.Integer({ minimum: 0 }), event_digest: Digest, receipt: Type.Optional(EventReceipt) }),
  ),
  /** What was revoked: the operational key without a successor yet, or the whole identity permanently. */
  revoked: Type.Optional(Type.Union([Type.Literal("OPERATIONAL"), Type.Literal("IDENTITY")])),
})
export type KeyFile = Static<typeof KeyFile>
