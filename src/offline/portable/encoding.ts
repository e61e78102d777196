/** Text forms of bytes, digests and ids, without Buffer or node modules. */
import { sha256 as hash } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { encodeBase64url } from "../../core/bytes.ts"

export const sha256 = (bytes: Uint8Array): Uint8Array => hash(bytes)

const utf8 = new TextEncoder()

export function hashOfText(text: string): Uint8Array {
  return sha256(utf8.encode(text))
}

/** `sha256:` and 64 hex characters. */
export function digestText(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(bytes)}`
}

/** `ed25519-` + RFC 7638 thumbprint. */
export function keyIdOf(x: string): string {
  return `ed25519-${encodeBase64url(hashOfText(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`))}`
}
