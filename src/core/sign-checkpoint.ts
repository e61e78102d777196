/** Signs checkpoints with the log key, using native crypto. checkpoint.ts verifies them. */
import { type KeyObject, sign } from "node:crypto"
import { decodeBase64url, encodeBase64url } from "./base64url.ts"
import { type Checkpoint, type NoteCrypto, type VerifierKey, writeCheckpoint, writeNote } from "./checkpoint.ts"
import { verifySignature } from "./ed25519.ts"
import { sha256 } from "./sha256.ts"

export interface LogKey {
  readonly keyId: string
  /** Public key, base64url. */
  readonly x: string
  readonly privateKey: KeyObject
}

export const nativeNoteCrypto: NoteCrypto = {
  sha256,
  verify: (publicKey, message, signature) =>
    verifySignature(encodeBase64url(publicKey), message, encodeBase64url(signature)),
}

/** `x` must be the public key of a {@link LogKey}. Throws a TypeError for other text: that is a bug. */
export function verifierKeyOf(origin: string, x: string): VerifierKey {
  const publicKey = decodeBase64url(x, 32)
  if (!publicKey) throw new TypeError("not a public key")
  return { name: origin, publicKey }
}

export function checkpointNote(checkpoint: Checkpoint, key: LogKey): string {
  const text = writeCheckpoint(checkpoint)
  const signature = new Uint8Array(sign(null, Buffer.from(text), key.privateKey))
  return writeNote(sha256, text, [{ key: verifierKeyOf(checkpoint.origin, key.x), signature }])
}
