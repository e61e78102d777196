/** The key event. The keys sign it as a challenge, and the same object becomes the entry of the identity's history. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, KeyId, Nonce } from "../common.ts"
import { text } from "../text.ts"
import { PublicJwk } from "./jwk.ts"

export const KEY_EVENT_DOMAIN = "svc.agent-identity.key-event.v1"
export const EVENT_RECEIPT_DOMAIN = "svc.agent-identity.event-receipt.v1"
export const STATUS_DOMAIN = "svc.agent-identity.status.v1"

export const ChallengeId = Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" })
const Purpose = enumeration("ENROLLMENT", "ROTATION", "REVOCATION")
export const RevocationReason = enumeration("KEY_COMPROMISE", "SUPERSEDED", "CESSATION_OF_OPERATION", "UNSPECIFIED")

/** The roles that must sign an event. NEW_… are keys that the event itself introduces. */
export const SigningRole = enumeration("OPERATIONAL", "RECOVERY", "NEW_OPERATIONAL", "NEW_RECOVERY")
export type SigningRole = Static<typeof SigningRole>

export const EventKey = closed({ key_id: KeyId, public_jwk: PublicJwk })
export type EventKey = Static<typeof EventKey>

const CompromiseSince = Type.Optional(DateTime)
const AuthorizedBy = Type.Array(SigningRole, { minItems: 1, maxItems: 2 })

export const KeyEventChange = Type.Union([
  closed({
    kind: Type.Literal("ENROLL"),
    authorized_by: Type.Tuple([Type.Literal("OPERATIONAL"), Type.Literal("RECOVERY")]),
  }),
  closed({
    kind: Type.Literal("ROTATE_OPERATIONAL"),
    authorized_by: AuthorizedBy,
    mode: enumeration("ROUTINE", "RECOVERY"),
    replaces_key_id: KeyId,
    compromise_suspected_since: CompromiseSince,
  }),
  closed({ kind: Type.Literal("ROTATE_RECOVERY"), authorized_by: AuthorizedBy, replaces_key_id: KeyId }),
  closed({
    kind: Type.Literal("REVOKE_OPERATIONAL"),
    authorized_by: AuthorizedBy,
    revokes_key_id: KeyId,
    reason: RevocationReason,
    compromise_suspected_since: CompromiseSince,
  }),
  closed({ kind: Type.Literal("REVOKE_IDENTITY"), authorized_by: AuthorizedBy, reason: RevocationReason }),
])

export type KeyEventChange = Static<typeof KeyEventChange>

export const KeyEvent = closed(
  {
    domain: Type.Literal(KEY_EVENT_DOMAIN),
    schema_version: Type.Literal("1.0.0"),
    claim: Type.Literal("KEY_CONTROL_ONLY"),
    audience: text(1, 512, { description: "Origin of the service the event is for" }),
    purpose: Purpose,
    challenge_id: ChallengeId,
    nonce: Nonce,
    issued_at: DateTime,
    expires_at: DateTime,
    agent_id: Type.Union([AgentId, Type.Null()], { description: "null at enrolment: the id is made from this event" }),
    sequence: Type.Integer({ minimum: 0 }),
    previous_event_digest: Type.Union([digestOver("C14N of the key event before, or null for the first"), Type.Null()]),
    keys: closed({
      operational: Type.Union([EventKey, Type.Null()]),
      recovery: Type.Union([EventKey, Type.Null()]),
    }),
    next_operational_key_digest: Type.Union([
      digestOver("C14N of {crv, kty, x} of the key that the next routine rotation must introduce"),
      Type.Null(),
    ]),
    change: KeyEventChange,
  },
  { $id: "AgentKeyEvent" },
)
export type KeyEvent = Static<typeof KeyEvent>

/** The first event of a history: sequence 0, no identity yet, both keys present. */
export type EnrolmentEvent = KeyEvent & {
  readonly purpose: "ENROLLMENT"
  readonly keys: { readonly operational: EventKey; readonly recovery: EventKey }
}
