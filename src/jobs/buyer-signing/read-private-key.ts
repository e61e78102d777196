import { createPrivateKey, createPublicKey, hash, KeyObject } from "node:crypto"
import { BindingError } from "./binding-error.ts"

export interface BuyerKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** `ed25519-` and the RFC 7638 thumbprint. */
  readonly keyId: string
}

const EXPECTED =
  "must be an Ed25519 private key: a KeyObject, a PKCS#8 PEM text, or a private JWK with kty, crv, x and d"

/** Throws {@link BindingError}. Its message never contains a part of the key, nor the error of the runtime. */
export function readPrivateKey(given: unknown): BuyerKey {
  const privateKey = imported(given)
  if (privateKey?.type !== "private" || privateKey.asymmetricKeyType !== "ed25519") throw invalid(EXPECTED)
  const publicKey = createPublicKey(privateKey)
  const { x } = publicKey.export({ format: "jwk" })
  if (isJwk(given) && given["x"] !== x) throw invalid("must be a JWK whose x is the public key of its d")
  return { privateKey, publicKey, keyId: `ed25519-${thumbprint(String(x))}` }
}

function imported(given: unknown): KeyObject | null {
  if (given instanceof KeyObject) return given
  try {
    if (typeof given === "string") return createPrivateKey({ key: given, format: "pem" })
    if (isJwk(given)) return createPrivateKey({ key: pkcs8(String(given["d"])), format: "der", type: "pkcs8" })
  } catch {
    return null
  }
  return null
}

function isJwk(given: unknown): given is Readonly<Record<string, unknown>> {
  return (
    typeof given === "object" &&
    given !== null &&
    !(given instanceof KeyObject) &&
    "kty" in given &&
    given.kty === "OKP" &&
    "crv" in given &&
    given.crv === "Ed25519"
  )
}

/** RFC 8410: the prefix of every Ed25519 private key, and its 32-byte seed. The import of a JWK would not compare `x` with `d`. */
function pkcs8(d: string): Buffer {
  if (!/^[A-Za-z0-9_-]{43}$/.test(d)) throw invalid(EXPECTED)
  return Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.from(d, "base64url")])
}

function thumbprint(x: string): string {
  return hash("sha256", `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, "base64url")
}

function invalid(expected: string): BindingError {
  return new BindingError("KEY_INVALID", "privateKey", expected)
}
