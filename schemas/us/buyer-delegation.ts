import { type Static, Type } from "@sinclair/typebox"
import {
  AgentId,
  Amount,
  Currency,
  closed,
  DateTime,
  digestOver,
  enumeration,
  Identifier,
  KeyId,
  Nonce,
  OrganizationDigest,
  SignatureObject,
  signedDocument,
} from "../common.ts"
import { text } from "../text.ts"
import { Intent } from "./covered.ts"

const DelegationScope = enumeration("SIGN_REQUEST", "SIGN_MANDATE", "AUTHORIZE_DESTINATION_CHANGE")

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

/**
 * The rights that an organization gives to an agent key. The two optional limits must be written as null, because an omitted limit is not
 * consent.
 */
const terms = {
  organization_id: Identifier,
  organization_digest: OrganizationDigest,
  agent_id: AgentId,
  key_id: KeyId,
  scope: Type.Array(DelegationScope, { minItems: 1, maxItems: 3, uniqueItems: true }),
  permitted_intents: Type.Array(Intent, { minItems: 1, maxItems: 1 }),
  max_payment_amount: Amount,
  max_total_amount: nullable(Amount),
  max_requests_per_day: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  currency: Currency,
  valid_from: DateTime,
  valid_until: DateTime,
}

/** Two signatures over the same bytes, the object without `signature` and `agent_acceptance`: by a mandate key and by the agent's key. */
export const BuyerDelegation = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    domain: Type.Literal("svc.buyer-delegation.v1"),
    audience: text(1, 255),
    ...terms,
    nonce: Nonce,
    idempotency_key: text(8, 120),
    signature: SignatureObject,
    agent_acceptance: SignatureObject,
  },
  { $id: "BuyerDelegation" },
)
export type BuyerDelegation = Static<typeof BuyerDelegation>

/** `delegation_digest` is the digest of the content that both sides signed. `valid_until` is the delegation's own end. */
export const DelegationRecord = closed({
  schema_version: Type.Literal("1.0.0"),
  domain: Type.Literal("svc.buyer-delegation-record.v1"),
  issuer: Type.String(),
  audience: Type.String(),
  delegation_id: Type.String(),
  delegation_digest: digestOver("C14N of the delegation without signature and agent_acceptance"),
  delegation: closed(terms),
  signed_by_key_id: KeyId,
  recorded_at: DateTime,
  limitations: Type.Array(Type.String()),
  valid_as_of: DateTime,
  valid_until: DateTime,
  next_machine_action: Type.String(),
})
export type DelegationRecord = Static<typeof DelegationRecord>

export const DelegationAnswer = signedDocument(DelegationRecord, { $id: "DelegationAnswer" })
