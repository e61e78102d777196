/**
 * The cryptography of an offline check, as synchronous functions: native in the service and the command, plain JavaScript in a browser. A
 * page on a plain-HTTP network has no WebCrypto.
 */
import type { Digest } from "../digest.ts"
import type { KeyFault } from "../point-policy.ts"

export interface DocumentCrypto {
  /** The digest of bytes. A string is digested as its UTF-8 bytes. */
  readonly digestBytes: (bytes: Uint8Array | string) => Digest
  /** The digest of a value: of its SVC-C14N-JSON-1 bytes. */
  readonly digestOf: (value: unknown) => Digest
  /** `ed25519-` and the RFC 7638 thumbprint of an RFC 8037 `x`. */
  readonly keyIdOf: (x: string) => string
  readonly checkPublicKey: (x: string) => KeyFault | null
  /** SVC-ED25519-STRICT-1. `x` must have passed `checkPublicKey`. */
  readonly verifySignature: (x: string, message: Uint8Array, signature: string) => boolean
}
