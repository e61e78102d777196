import { hash } from "node:crypto"
import { checkPublicKey } from "./ed25519.ts"
import type { KeyFault } from "./point-policy.ts"

/** Public key (RFC 8037). */
export interface PublicJwk {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
}

/**
 * Returns `ed25519-` + RFC 7638 thumbprint. The prefix is needed because a bare thumbprint may begin with `-` or `_`, and the mandate's
 * pattern rejects that.
 */
export function keyIdOf(x: string): string {
  return `ed25519-${hash("sha256", `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, "base64url")}`
}

/** Returns the three members that define the key, without any other member that was sent. */
export function publicJwk(x: string): PublicJwk {
  return { kty: "OKP", crv: "Ed25519", x }
}

export function checkJwk(jwk: PublicJwk): KeyFault | null {
  return checkPublicKey(jwk.x)
}
