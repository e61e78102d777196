import { type Static, Type } from "@sinclair/typebox"
import {
  closed,
  DateTime,
  digestOver,
  enumeration,
  Identifier,
  MandateDigest,
  Nonce,
  SignatureObject,
  signedDocument,
} from "../common.ts"
import { USE } from "../hints.ts"
import { text } from "../text.ts"

export const DelegationId = Type.String({ pattern: "^dgn_[A-Za-z0-9_-]{22}$" })

const signed = {
  schema_version: Type.Literal("1.0.0"),
  audience: text(1, 255),
  organization_id: Identifier,
  reason: text(1, 300, { [USE]: "PROSE" }),
  issued_at: DateTime,
  nonce: Nonce,
  signature: SignatureObject,
}

/** Signed by an ACTIVE mandate key over the object without `signature` (rulings 49). */
export const DelegationRevocation = closed(
  { ...signed, domain: Type.Literal("svc.delegation-revocation.v1"), delegation_id: DelegationId },
  { $id: "DelegationRevocation" },
)
export type DelegationRevocation = Static<typeof DelegationRevocation>

/** The service need not have seen the mandate. Its holder can revoke it before anyone uses it. */
export const MandateRevocation = closed(
  {
    ...signed,
    domain: Type.Literal("svc.mandate-revocation.v1"),
    mandate_id: Identifier,
    mandate_digest: MandateDigest,
  },
  { $id: "MandateRevocation" },
)
export type MandateRevocation = Static<typeof MandateRevocation>

/** `revocation_digest` is the digest of the content that the organization signed. `mandate_digest` is null for a delegation. */
export const RevocationRecord = closed({
  schema_version: Type.Literal("1.0.0"),
  domain: Type.Literal("svc.buyer-revocation-record.v1"),
  issuer: Type.String(),
  audience: Type.String(),
  kind: enumeration("DELEGATION", "MANDATE"),
  organization_id: Identifier,
  subject_id: Type.String(),
  mandate_digest: Type.Union([MandateDigest, Type.Null()]),
  state: Type.Literal("REVOKED"),
  revoked_at: DateTime,
  revocation_digest: digestOver("C14N of the revocation without signature"),
  signed_by_key_id: Type.String(),
  limitations: Type.Array(Type.String()),
  valid_as_of: DateTime,
  valid_until: Type.Null(),
  next_machine_action: Type.String(),
})
export type RevocationRecord = Static<typeof RevocationRecord>

export const RevocationAnswer = signedDocument(RevocationRecord, { $id: "RevocationAnswer" })
