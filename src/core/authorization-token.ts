/**
 * Derives the text of an authorization token from the execution it was sold with (rulings 58). The service can rebuild a paid answer and
 * needs to store only the hash of the token.
 */
import { createHmac, hash } from "node:crypto"

export const TOKEN_KEY_BYTES = 32

/**
 * Returns `svc_at_` and 43 base64url characters. Throws a TypeError for a key of another length: a short key would make tokens that can be
 * guessed.
 */
export function authorizationToken(tokenKey: Uint8Array, executionId: string): string {
  if (tokenKey.length !== TOKEN_KEY_BYTES) throw new TypeError(`a token key has ${TOKEN_KEY_BYTES} bytes`)
  return `svc_at_${createHmac("sha256", tokenKey).update(executionId).digest("base64url")}`
}

/** Returns SHA-256 of the token text as 64 lower-case hex characters. The database stores and looks up this hash instead of the token. */
export function tokenHash(token: string): string {
  return hash("sha256", token, "hex")
}
