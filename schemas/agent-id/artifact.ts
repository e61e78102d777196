/** Registers a signed statement: the log gives it a time and reveals nothing about its subject. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, enumeration } from "../common.ts"
import { Limitations } from "./challenge.ts"
import { SignatureOutcomes } from "./signature-outcomes.ts"

const Null = Type.Null()

const Logged = closed(
  {
    status: Type.Literal("LOGGED"),
    log_index: Type.Integer({ minimum: 0 }),
    checkpoint: Type.String({ description: "C2SP signed note whose tree holds the leaf" }),
  },
  {
    description:
      "Leaf data: SHA-256 of `SVC-ARTIFACT-LEAF-V1` and LF, the SHA-256 of C14N({agent_id, key_id, payload_digest, registered_at, registration_id, statement_digest}), the map root",
  },
)
const NotLogged = closed({ status: Type.Literal("NOT_LOGGED"), log_index: Null, checkpoint: Null })

const Available = closed({
  status: Type.Literal("AVAILABLE"),
  invitation: closed({ reference: Type.String(), uri: Type.String(), bootstrap_uri: Type.String() }),
})
const Unavailable = closed({ status: Type.Literal("UNAVAILABLE"), invitation: Null })

export const AgentArtifactRegistration = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    registered: Type.Boolean(),
    registration_id: Type.Union([Type.String({ pattern: "^reg_[A-Za-z0-9_-]{22}$" }), Null]),
    statement_digest: digestOver("C14N of the statement"),
    payload_digest: digestOver("C14N of the payload"),
    registered_at: Type.Union([DateTime, Null]),
    outcomes: SignatureOutcomes,
    retention: closed({
      payload_retained: Type.Literal(false),
      retained: Type.Array(enumeration("STATEMENT_DIGEST", "PAYLOAD_DIGEST", "AGENT_ID", "KEY_ID", "REGISTERED_AT"), {
        description: "What the service keeps of the caller's data; empty if not registered",
      }),
    }),
    action: closed({ accepted: Type.Literal(false), nonce_consumed: Type.Literal(false) }),
    transparency: Type.Union([Logged, NotLogged]),
    tracking: Type.Union([Available, Unavailable]),
    limitations: Limitations,
    next_machine_action: enumeration("KEEP_AS_EVIDENCE_OF_TIME_ONLY", "REJECT_SIGNATURE", "REFRESH_AND_RETRY"),
  },
  { $id: "AgentArtifactRegistration" },
)
export type AgentArtifactRegistration = Static<typeof AgentArtifactRegistration>
