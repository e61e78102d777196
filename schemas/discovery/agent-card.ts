/**
 * The A2A agent card, protocol version 1.0. Every member is one that the protocol defines: a verifier may drop unknown members, and then a
 * signature over them fails.
 */
import { type Static, Type } from "@sinclair/typebox"
import { closed, signatureOver } from "../common.ts"

const Text = Type.String({ minLength: 1 })
const Modes = Type.Array(Text, { minItems: 1 })
const NotSupported = Type.Literal(false)

const AgentSkill = closed({
  id: Text,
  name: Text,
  description: Text,
  tags: Type.Array(Text, { minItems: 1 }),
})
export type AgentSkill = Static<typeof AgentSkill>

/** A JWS (RFC 7515) with detached payload: `protected` and `signature` are base64url. */
const CardSignature = closed({
  protected: Type.String({ pattern: "^[A-Za-z0-9_-]+$" }),
  signature: signatureOver(
    "the JWS signing input: protected, a dot, and the base64url of SVC-C14N-JSON-1 of the card without signatures",
  ),
})

const cardMembers = {
  name: Text,
  description: Text,
  version: Text,
  supportedInterfaces: Type.Array(
    closed({ url: Text, protocolBinding: Type.Literal("JSONRPC"), protocolVersion: Type.Literal("1.0") }),
    { minItems: 1 },
  ),
  provider: Type.Optional(closed({ organization: Text, url: Text })),
  documentationUrl: Type.Optional(Text),
  capabilities: closed({ streaming: NotSupported, pushNotifications: NotSupported, extendedAgentCard: NotSupported }),
  defaultInputModes: Modes,
  defaultOutputModes: Modes,
  skills: Type.Array(AgentSkill, { minItems: 1 }),
}

export const AgentCard = closed(
  { ...cardMembers, signatures: Type.Array(CardSignature, { minItems: 1, maxItems: 1 }) },
  { $id: "AgentCard" },
)
export type AgentCard = Static<typeof AgentCard>
