import { hash } from "node:crypto"
import { decodeBase64url } from "../core/base64url.ts"

/** SHA-256 of the 32 raw public key bytes as `4f:19:…`, for people to compare by eye over another channel. */
export function fingerprint(x: string): string {
  const bytes = decodeBase64url(x, 32)
  if (!bytes) throw new TypeError("not an Ed25519 public key")
  return (hash("sha256", bytes, "hex").match(/../g) ?? []).join(":")
}
