import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration, KeyId } from "../common.ts"
import { operation } from "../operation.ts"

export const PublishedJwk = closed({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }),
  kid: KeyId,
  alg: Type.Literal("EdDSA"),
  use: Type.Literal("sig"),
  svc_use: Type.Literal("statement"),
  svc_status: enumeration("ACTIVE", "ROTATED", "REVOKED"),
  nbf: Type.Integer({ description: "Seconds since the epoch from which the key signs" }),
  exp: Type.Integer({ description: "Seconds since the epoch after which the key signs nothing new" }),
  svc_revoked_since: Type.Optional(DateTime),
})
export type PublishedJwk = Static<typeof PublishedJwk>

export const Jwks = closed({ keys: Type.Array(PublishedJwk) }, { $id: "ServiceJwks" })
export type Jwks = Static<typeof Jwks>

export const getServiceJwks = operation({
  id: "get_service_jwks",
  method: "GET",
  path: "/.well-known/jwks.json",
  summary: "Public keys that verify this service's signatures (RFC 7517, RFC 8037)",
  body: undefined,
  responses: {
    200: { description: "Statement keys, ACTIVE and ROTATED", schema: Jwks, mediaType: "application/jwk-set+json" },
    304: { description: "Unchanged since the ETag sent" },
  },
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  cors: "PUBLIC",
  rateLimit: { group: "discovery", perMinute: 600 },
})
