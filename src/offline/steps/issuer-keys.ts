import { type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import type { SignatureObject } from "../../../schemas/common.ts"
import { PublishedJwk } from "../../../schemas/discovery/jwks.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { isSandboxIssuer } from "../../core/sandbox/sandbox-issuer.ts"
import { hasPrivateMaterial } from "../../core/secrets/private-material.ts"
import { parseInstant, SECOND } from "../../core/time.ts"
import type { Report } from "../report.ts"

const KeySet: TSchema = Type.Object({ keys: Type.Array(Type.Object({}), { maxItems: 256 }) })

/** Statement keys by key id, each checked once. */
export type IssuerKeys = ReadonlyMap<string, PublishedJwk>

/**
 * Reads a JWK set and skips other kinds of keys. Returns null when it is not a key set, or when it contains private material: such a file
 * must be protected, not trusted.
 */
export function readIssuerKeys(jwks: unknown, crypto: KeyCrypto): IssuerKeys | null {
  if (!Value.Check(KeySet, jwks)) return null
  const { keys } = jwks as { keys: object[] }
  return keys.some(hasPrivateMaterial) ? null : statementKeys(keys, crypto)
}

type KeyCrypto = Pick<DocumentCrypto, "keyIdOf" | "checkPublicKey">

/** The statement keys among the members of a JWK set. */
export function statementKeys(jwks: readonly unknown[], { keyIdOf, checkPublicKey }: KeyCrypto): IssuerKeys {
  const keys = new Map<string, PublishedJwk>()
  for (const given of jwks) {
    const jwk = withoutExported(given)
    if (!Value.Check(PublishedJwk, jwk)) continue
    if (keyIdOf(jwk.x) === jwk.kid && checkPublicKey(jwk.x) === null) keys.set(jwk.kid, jwk)
  }
  return keys
}

/** Members that exporters of keys add say nothing about a public key. */
function withoutExported(jwk: unknown): unknown {
  if (typeof jwk !== "object" || jwk === null) return jwk
  const { key_ops: _, ext: __, ...own } = jwk as Readonly<Record<string, unknown>>
  return own
}

/** A document that the statement key signs: a capsule or a passport. */
export interface SignedStatement {
  readonly payload: { readonly issuer: string; readonly issued_at: string }
  readonly signature: SignatureObject
}

/** Checks signature, key status and key window. A missing key means "could not check"; a revoked key is invalid (rulings 18). */
export function checkSignature(
  report: Report,
  { payload, signature }: SignedStatement,
  { keys, crypto }: { readonly keys: IssuerKeys; readonly crypto: Pick<DocumentCrypto, "verifySignature"> },
): void {
  if (isSandboxIssuer(payload.issuer)) {
    report.check("issuer", false, { ok: "", invalid: "the sandbox: anyone can make its keys" })
    return
  }
  report.check("issuer", signature.issuer === payload.issuer, {
    ok: payload.issuer,
    invalid: "payload and signature name different issuers",
  })
  const key = keys.get(signature.key_id)
  if (!key) {
    report.unchecked("signature", `issuer key ${signature.key_id} is not among the issuer keys given`)
    return
  }
  const isSigned = crypto.verifySignature(key.x, canonicalBytes(payload), signature.value)
  report.check("signature", isSigned, { ok: `Ed25519, ${key.kid}, strict`, invalid: "the signature does not verify" })
  report.check("key status", key.svc_status !== "REVOKED", {
    ok: `${key.svc_status} in the issuer keys given`,
    invalid: `key revoked${key.svc_revoked_since ? ` since ${key.svc_revoked_since}` : ""}; there is no proof that it signed before`,
  })
  const issued = parseInstant(payload.issued_at)
  report.check("key window", issued !== null && issued >= key.nbf * SECOND && issued < (key.exp + 1) * SECOND, {
    ok: "issued while the key signed",
    invalid: "issued outside the key's nbf and exp",
  })
}
