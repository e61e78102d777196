/**
 * Base64url without padding (RFC 4648 section 5), strict: each byte string has exactly one text, so each key has exactly one thumbprint.
 */

export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url")
}

/** Returns the bytes, or null for padding, foreign characters, stray trailing bits or a length other than `byteLength`. */
export function decodeBase64url(text: string, byteLength?: number): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null
  const bytes = Buffer.from(text, "base64url")
  if (byteLength !== undefined && bytes.length !== byteLength) return null
  return bytes.toString("base64url") === text ? new Uint8Array(bytes) : null
}
