import { type Static, Type } from "@sinclair/typebox"
import { AGENT_ID_LIMITATIONS, AgentId, closed, DateTime, digestOver, enumeration, KeyId } from "../common.ts"
import { SentJwk } from "./jwk.ts"
import { KeyEvent, RevocationReason, SigningRole } from "./key-event.ts"

const NextKeyDigest = Type.Optional(
  Type.Union([digestOver("C14N of {crv, kty, x} of the key that the next routine rotation introduces"), Type.Null()]),
)
const CompromiseSince = Type.Optional({
  ...DateTime,
  description:
    "Time since when the operational key may be compromised, as the recovery key claims. Only with target OPERATIONAL and mode RECOVERY",
})
const Version = Type.Literal("1.0.0")
const Target = enumeration("OPERATIONAL", "RECOVERY")

const EnrolmentChallengeRequest = closed({
  schema_version: Version,
  purpose: Type.Literal("ENROLLMENT"),
  operational_public_jwk: SentJwk,
  recovery_public_jwk: SentJwk,
  next_operational_key_digest: NextKeyDigest,
  invitation_reference: Type.Optional(
    Type.Union([Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" }), Type.Null()], {
      description: "Where the agent learned of the service. It is neither stored nor signed",
    }),
  ),
})

const RotationChallengeRequest = closed({
  schema_version: Version,
  purpose: Type.Literal("ROTATION"),
  agent_id: AgentId,
  target: Target,
  mode: Type.Union([Type.Literal("ROUTINE"), Type.Literal("RECOVERY")], {
    description:
      "ROUTINE: the operational key signs, and the committed key replaces it. RECOVERY: the recovery key signs; the only mode of target RECOVERY",
  }),
  new_public_jwk: SentJwk,
  next_operational_key_digest: NextKeyDigest,
  compromise_suspected_since: CompromiseSince,
})

const RevocationChallengeRequest = closed({
  schema_version: Version,
  purpose: Type.Literal("REVOCATION"),
  agent_id: AgentId,
  target: enumeration("OPERATIONAL", "IDENTITY"),
  mode: Type.Union([Type.Literal("SELF"), Type.Literal("RECOVERY")], {
    description: "Which key signs; RECOVERY is the only mode of target IDENTITY",
  }),
  reason: RevocationReason,
  compromise_suspected_since: CompromiseSince,
})

export const IssueAgentIdentityChallenge = Type.Union(
  [EnrolmentChallengeRequest, RotationChallengeRequest, RevocationChallengeRequest],
  { $id: "IssueAgentIdentityChallenge" },
)
export type IssueAgentIdentityChallenge = Static<typeof IssueAgentIdentityChallenge>

/** The seven limitation tokens, in the interface's order. */
export const Limitations = Type.Array(enumeration(...AGENT_ID_LIMITATIONS), {
  minItems: AGENT_ID_LIMITATIONS.length,
  maxItems: AGENT_ID_LIMITATIONS.length,
})

export const AgentIdentityChallenge = closed(
  {
    schema_version: Version,
    challenge: KeyEvent,
    challenge_digest: digestOver("C14N of the challenge, which is the key event"),
    required_signatures: Type.Array(closed({ role: SigningRole, key_id: KeyId })),
    external_signing: closed({
      canonicalization: Type.Literal("SVC-C14N-JSON-1"),
      algorithm: Type.Literal("Ed25519"),
      signing_location: Type.Literal("LOCAL_ONLY"),
      signing_input: Type.Literal("C14N(challenge)"),
    }),
    proof_request: closed({ method: Type.Literal("POST"), uri: Type.String() }),
    expires_at: DateTime,
    price: closed({ amount: Type.Literal("0"), currency: Type.Literal("N/A_NO_CHARGE") }),
    limitations: Limitations,
    next_machine_action: Type.Literal("SIGN_CHALLENGE_LOCALLY_AND_PROVE"),
  },
  { $id: "AgentIdentityChallenge" },
)
export type AgentIdentityChallenge = Static<typeof AgentIdentityChallenge>
