/** The statement that an agent signs about a payload, and the verification request for it (VerifyAgentSignature). */
import { type Static, Type } from "@sinclair/typebox"
import {
  AgentId,
  closed,
  DateTime,
  digestOver,
  enumeration,
  Identifier,
  KeyId,
  Nonce,
  signatureOver,
} from "../common.ts"
import { text } from "../text.ts"

export const SIGNATURE_DOMAIN = "svc.agent-signature.v1"

const Version = Type.Literal("1.0.0")
/** Any JSON within the limits of a body. It is digested as C14N and never stored. */
const Payload = Type.Unknown({
  description: "Any JSON. The service digests its SVC-C14N-JSON-1 form, and never stores or logs it",
})

const members = {
  schema_version: Version,
  domain: Type.Literal(SIGNATURE_DOMAIN),
  agent_id: AgentId,
  key_id: KeyId,
  canonicalization: Type.Literal("SVC-C14N-JSON-1"),
  audience: text(1, 512, {
    description:
      "The party that the signer addresses. The relying party compares it with its own name, because the service does not know who calls",
  }),
  action_type: Identifier,
  // CHOICE: the interface shows one text member, `environment`. Only texts are allowed, at most 16; larger data belongs in the payload.
  context: Type.Record(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_.-]{0,63}$" }), text(0, 256), {
    additionalProperties: false,
    maxProperties: 16,
  }),
  payload_digest: digestOver("C14N of the payload"),
  nonce: Nonce,
  issued_at: DateTime,
  expires_at: DateTime,
}

/** The signed form: Ed25519 over C14N(statement). */
export const SignatureStatement = closed({ ...members, algorithm: Type.Literal("Ed25519") })
export type SignatureStatement = Static<typeof SignatureStatement>

/** The statement as sent. Another algorithm gives an outcome (ALGORITHM_UNSUPPORTED), not a schema error. */
const SentStatement = closed({
  ...members,
  algorithm: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$", description: "Only Ed25519 is verified" }),
})
export type SentStatement = Static<typeof SentStatement>

export const ReplayCheck = enumeration("OBSERVE", "RECORD")

export const StatementVerification = closed({
  schema_version: Version,
  statement: SentStatement,
  payload: Type.Optional(Payload),
  signature: signatureOver("C14N of the statement (SIGNATURE_STATEMENT)"),
  replay_check: Type.Optional(ReplayCheck),
  verifier_nonce: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_-]{32,96}$",
      description:
        "The verifier chooses it. With it, a RECORD can be retried after a lost response and returns NOT_SEEN again. Without it, every retry returns SEEN",
    }),
  ),
})
export type StatementVerification = Static<typeof StatementVerification>

/** The literal reading of the interface: the signature covers C14N(payload) itself. Mandates are verified with it. */
export const PayloadVerification = closed({
  schema_version: Version,
  profile: Type.Literal("PAYLOAD_ONLY"),
  agent_id: AgentId,
  key_id: KeyId,
  payload: Payload,
  signature: signatureOver("C14N of the payload itself"),
})
export type PayloadVerification = Static<typeof PayloadVerification>

/** The variant with its own constant comes first: errors refer to the first variant whose constants the body has. */
export const VerifyAgentSignature = Type.Union([PayloadVerification, StatementVerification], {
  $id: "VerifyAgentSignature",
})
export type VerifyAgentSignature = Static<typeof VerifyAgentSignature>
