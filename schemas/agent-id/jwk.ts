import { type Static, Type } from "@sinclair/typebox"
import { closed, KeyId } from "../common.ts"
import { IGNORED, NEVER_REQUESTED } from "../hints.ts"
import { text } from "../text.ts"

const X = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", description: "The 32 bytes of the public key, base64url" })

/** RFC 8037 public key with exactly the members of its RFC 7638 thumbprint. */
export const PublicJwk = closed({ kty: Type.Literal("OKP"), crv: Type.Literal("Ed25519"), x: X }, { $id: "PublicJwk" })

const SentPublicJwk = closed({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: X,
  kid: Type.Optional(text(1, 128, { description: "Ignored: the key id is the thumbprint", [IGNORED]: true })),
  alg: Type.Optional(Type.Union([Type.Literal("EdDSA"), Type.Literal("Ed25519")])),
  use: Type.Optional(Type.Literal("sig")),
  key_ops: Type.Optional(
    Type.Array(text(1, 32), {
      maxItems: 16,
      description: "Ignored: exporters of keys write it (RFC 7517)",
      [IGNORED]: true,
    }),
  ),
  ext: Type.Optional(Type.Boolean({ description: "Ignored: Web Crypto writes it", [IGNORED]: true })),
})

const PRIVATE_MEMBERS = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"] as const

/** The schema accepts it whatever else is wrong with it, so that the sender learns that a private key has left the agent. */
const PrivateKeyMaterial = Type.Union(
  PRIVATE_MEMBERS.map((member) => Type.Object({ [member]: Type.Unknown() }, { additionalProperties: true })),
  { description: "Never accepted: always rejected with 422 PRIVATE_KEY_MATERIAL_REJECTED", [NEVER_REQUESTED]: true },
)

export const SentJwk = Type.Union([SentPublicJwk, PrivateKeyMaterial])
export type SentJwk = Static<typeof SentJwk>

/** An entry of jwks.json (RFC 7517). `alg` is EdDSA: JOSE clients match RFC 8037's name, not RFC 9864's. */
export const JwksKey = closed({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: X,
  kid: KeyId,
  alg: Type.Literal("EdDSA"),
  use: Type.Literal("sig"),
})

export const AgentJwks = closed(
  { keys: Type.Array(JwksKey) },
  {
    $id: "AgentJwks",
    description: "ACTIVE operational keys only; empty after revocation",
  },
)
export type AgentJwks = Static<typeof AgentJwks>
