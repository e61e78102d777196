// Byte strings without Buffer or node modules, so that the verifying code also runs in a browser.

/** SHA-256 as a parameter of the verifying code: native in the service, pure JavaScript in a browser. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/** Use it for public values only: it returns at the first difference, so its time depends on the data. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, i) => byte === right[i])
}

/** The bytes of lower-case hexadecimal digits, two for each. */
export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

/** Base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Returns the bytes, or null for any text that {@link encodeBase64} would not write. */
export function decodeBase64(text: string, byteLength?: number): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  if (byteLength !== undefined && bytes.length !== byteLength) return null
  return encodeBase64(bytes) === text ? bytes : null
}

/**
 * Base64url without padding (RFC 4648 section 5). Returns the bytes, or null for padding, foreign characters, stray trailing bits or another
 * length.
 */
export function decodeBase64url(text: string, byteLength?: number): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null
  const padded = text.padEnd(Math.ceil(text.length / 4) * 4, "=")
  return decodeBase64(padded.replaceAll("-", "+").replaceAll("_", "/"), byteLength)
}

/** Base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_")
}
