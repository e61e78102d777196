/**
 * The text of an authorization token. It follows from the execution it was sold with (rulings 58), so that an answer that was paid for
 * can be written again and only the hash of the token is ever kept.
 */
import { createHmac, hash } from "node:crypto"

export const TOKEN_KEY_BYTES = 32

/** `svc_at_` and 43 base64url characters. Throws a TypeError for another key length: a short key would make tokens that can be guessed. */
export function authorizationToken(tokenKey: Uint8Array, executionId: string): string {
  if (tokenKey.length !== TOKEN_KEY_BYTES) throw new TypeError(`a token key has ${TOKEN_KEY_BYTES} bytes`)
  return `svc_at_${createHmac("sha256", tokenKey).update(executionId).digest("base64url")}`
}

/** SHA-256 of the token's text, 64 lower-case hex characters: what is stored and looked up in its place. */
export function tokenHash(token: string): string {
  return hash("sha256", token, "hex")
}
