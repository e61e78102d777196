import type { KeyObject } from "node:crypto"
import { join } from "node:path"
import { readSecretFile, SecretFileError, writeSecretFile } from "../base/secret-file.ts"
import { decodeBase64url, encodeBase64url } from "../core/base64url.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { keyFromSeed } from "../core/ed25519.ts"
import { keyIdOf } from "../core/jwk.ts"
import { jsonOrUndefined, memberOf } from "../core/strict-json.ts"

export function keyFilePath(keysDirectory: string, keyId: string): string {
  return join(keysDirectory, `${keyId}.json`)
}

/** A key of the service with its private half. */
export interface HeldKey {
  readonly keyId: string
  readonly x: string
  readonly privateKey: KeyObject
}

/** Writes the private JWK (RFC 8037) of a 32-byte seed, mode 0600. */
export function writeKeyFile(keysDirectory: string, seed: Uint8Array): HeldKey {
  const { x, privateKey } = keyFromSeed(seed)
  const keyId = keyIdOf(x)
  const jwk = { alg: "EdDSA", crv: "Ed25519", d: encodeBase64url(seed), kid: keyId, kty: "OKP", use: "sig", x }
  writeSecretFile(keyFilePath(keysDirectory, keyId), `${canonicalize(jwk)}\n`)
  return { keyId, x, privateKey }
}

/** The private key whose file belongs to `keyId`. */
export function readKeyFile(keysDirectory: string, keyId: string): HeldKey {
  const path = keyFilePath(keysDirectory, keyId)
  const key = readPrivateKey(path)
  if (key.keyId !== keyId) throw new SecretFileError(`${path} holds another key than its name says`)
  return key
}

/**
 * Reads a private key file. Derives `x` from `d` and ignores the stored `x`, so a false one has no effect. Throws {@link SecretFileError}.
 */
export function readPrivateKey(path: string): HeldKey {
  const seed = decodeBase64url(privateMember(readSecretFile(path), path), 32)
  if (!seed) throw new SecretFileError(`${path} is not an Ed25519 private JWK`)
  const { x, privateKey } = keyFromSeed(seed)
  return { keyId: keyIdOf(x), x, privateKey }
}

function privateMember(bytes: Uint8Array, path: string): string {
  const value = jsonOrUndefined(bytes)
  if (value === undefined) throw new SecretFileError(`${path} is not JSON`)
  const d = memberOf(value, "d")
  if (typeof d !== "string") throw new SecretFileError(`${path} is not an Ed25519 private JWK`)
  return d
}
