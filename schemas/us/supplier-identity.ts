/** What an organization says about its own suppliers: which identifiers, names and entity ids are one, or no longer one (rulings 89). */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration, Identifier, Nonce, SignatureObject } from "../common.ts"
import { text } from "../text.ts"

/** The most of each that one statement names. */
const NAMED_MAX = 32

export const SupplierIdentityStatement = closed({
  schema_version: Type.Literal("1.0.0"),
  domain: Type.Literal("svc.supplier-identity.v1"),
  /** Base address of the service. */
  audience: text(1, 255),
  organization_id: Identifier,
  /**
   * LINK: they are one supplier, and each identifier vouches. UNLINK: the identifiers, names and entity ids leave their suppliers. A merged
   * supplier whose identifiers are all named leaves with its records.
   */
  action: enumeration("LINK", "UNLINK"),
  /** Such as `uei:…`: scheme in lower case, value as records have it. */
  keys: Type.Array(Type.String({ pattern: "^(lei|uei|cage|cik|ein):[0-9A-Z]{5,20}$" }), {
    maxItems: NAMED_MAX,
    uniqueItems: true,
  }),
  /** Legal names. */
  names: Type.Array(text(1, 350), { maxItems: NAMED_MAX, uniqueItems: true }),
  entity_ids: Type.Array(text(1, 512), { maxItems: NAMED_MAX, uniqueItems: true }),
  issued_at: DateTime,
  valid_until: DateTime,
  nonce: Nonce,
  /** By an ACTIVE mandate key of the organization, over the object without `signature`. */
  signature: SignatureObject,
})
export type SupplierIdentityStatement = Static<typeof SupplierIdentityStatement>
