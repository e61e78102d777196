/**
 * An organization's mandate key: a private JWK in FILE, readable by its owner only, and the public half in FILE.pub for the operator. A
 * person who can read FILE can delegate and sign mandates for the organization. After its loss, use `buyers revoke-key` and create a new
 * one.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs"
import { CommandError, EXIT } from "../../base/exit.ts"
import { writeSecretFile } from "../../base/secret-file.ts"
import { asWriteRefusal, isDenied, readFault } from "../../base/system-fault.ts"
import { decodeBase64url, encodeBase64url } from "../../core/base64url.ts"
import { checkPublicKey, keyFromSeed } from "../../core/ed25519.ts"
import { isTestKey } from "../../core/forms/test-keys.ts"
import { keyIdOf } from "../../core/jwk.ts"
import { hasPrivateMaterial } from "../../core/secrets/private-material.ts"
import type { Signer } from "../../core/signer.ts"
import { isJsonObject, type JsonValue, readJson, StrictJsonError } from "../../core/strict-json.ts"
import { readSecret } from "../read-secret.ts"

const PUBLIC_BYTES_MAX = 4096

/** Throws the CommandError of `writeNewFile`: a key is never overwritten. */
export function createMandateKey(path: string, seed: Uint8Array): { keyId: string; publicPath: string } {
  const { x } = keyFromSeed(seed)
  const keyId = keyIdOf(x)
  const publicJwk = { crv: "Ed25519", kid: keyId, kty: "OKP", x }
  const publicPath = `${path}.pub`
  try {
    writeSecretFile(path, `${JSON.stringify({ ...publicJwk, d: encodeBase64url(seed) })}\n`)
    const file = openSync(publicPath, "wx", 0o644)
    try {
      writeSync(file, `${JSON.stringify(publicJwk)}\n`)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw asWriteRefusal(`${path} or ${publicPath}`, error)
  }
  return { keyId, publicPath }
}

/**
 * Returns the organization's signer. Throws CommandError: 6 missing or readable by others, 7 this user may not read it, 3 not a key or
 * damaged.
 */
export function readMandateKey(path: string, organizationId: string): Signer {
  const jwk = jwkIn(path, readSecret(path))
  const seed = typeof jwk["d"] === "string" ? decodeBase64url(jwk["d"], 32) : null
  const key = seed ? keyFromSeed(seed) : null
  if (!key || key.x !== jwk["x"]) {
    throw new CommandError(
      EXIT.INVALID,
      `${path} is not a private key file as buyers keygen and sources keygen write it`,
    )
  }
  return { issuer: organizationId, keyId: keyIdOf(key.x), privateKey: key.privateKey }
}

/**
 * Returns a public JWK that passed the key check. What exporters add to it is ignored, `kid` too: the key's id is its thumbprint. Throws
 * CommandError: 5 missing, 7 this user may not read it, 3 private material or an untrustworthy key.
 */
export function readPublicKey(path: string): { keyId: string; x: string } {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const exit = isDenied(error) ? EXIT.DATA : existsSync(path) ? EXIT.NOT_CHECKED : EXIT.NOT_FOUND
    throw new CommandError(exit, `cannot read ${path}: ${readFault(error)}`)
  }
  if (bytes.length > PUBLIC_BYTES_MAX) throw new CommandError(EXIT.INVALID, `${path} is too long for a public key`)
  const jwk = jwkIn(path, bytes)
  if (hasPrivateMaterial(jwk)) {
    throw new CommandError(EXIT.INVALID, `${path} holds a private key; never hand one over. Use its .pub file.`)
  }
  const x = jwk["x"]
  if (typeof x !== "string") throw new CommandError(EXIT.INVALID, `${path} is not an Ed25519 public JWK`)
  const fault = checkPublicKey(x)
  if (fault) throw new CommandError(EXIT.INVALID, `${path}: ${fault}`)
  if (isTestKey(x)) {
    const why = "a test key of /v1/agent/signed-forms, which everyone has; make a key with bizauth buyers keygen"
    throw new CommandError(EXIT.INVALID, `${path} holds ${why}`)
  }
  return { keyId: keyIdOf(x), x }
}

function jwkIn(path: string, bytes: Uint8Array): { readonly [name: string]: JsonValue } {
  let value: JsonValue
  try {
    value = readJson(bytes)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new CommandError(EXIT.INVALID, `${path} is not strict JSON: ${error.fault}`)
  }
  if (isJsonObject(value)) {
    if (value["kty"] === "OKP" && value["crv"] === "Ed25519") return value
  }
  throw new CommandError(EXIT.INVALID, `${path} is not an Ed25519 JWK`)
}
