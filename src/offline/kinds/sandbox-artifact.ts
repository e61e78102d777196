/** Verifies a document of the sandbox in its wrapper with the pinned sandbox key. Every other document is refused. */
import { Value } from "@sinclair/typebox/value"
import { SandboxArtifact } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import type { PublicJwk } from "../../core/jwk.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { Report } from "../report.ts"
import { checkBytes, checkDigest } from "../steps/check-document.ts"
import { memberOf, readDocument } from "../steps/read-document.ts"

export interface SandboxResult {
  readonly report: Report
  /** Null unless it is a wrapper. Read it only if the report is valid. */
  readonly artifact: SandboxArtifact | null
}

export function verifySandboxArtifact(bytes: Uint8Array, key: PublicJwk, crypto: DocumentCrypto): SandboxResult {
  const report = new Report(true)
  const document = readDocument(bytes, report)
  if (!document) return { report, artifact: null }
  const { value } = document
  const isWrapper = Value.Check(SandboxArtifact, value)
  if (!report.check("wrapper", isWrapper, "of the sandbox 1.0.0", "not a document of the sandbox in its wrapper")) {
    return { report, artifact: null }
  }
  // The schema has already accepted it.
  const artifact = value as unknown as SandboxArtifact
  const { payload, signature } = artifact
  checkBytes(report, "bytes", bytes, value)
  const computed = crypto.digestOf(payload)
  checkDigest(report, "digest", computed, artifact.digest)
  report.check("issuer", signature.issuer === payload.issuer, payload.issuer, "the signature names another issuer")
  const pinned = crypto.keyIdOf(key.x)
  const isPinned = signature.key_id === pinned && crypto.checkPublicKey(key.x) === null
  const isSigned =
    isPinned && computed === artifact.digest && crypto.verifySignature(key.x, canonicalBytes(payload), signature.value)
  report.check("signature", isSigned, `by the pinned sandbox key ${pinned}`, "not by the pinned sandbox key")
  report.note("environment", "sandbox: synthetic, decides nothing and permits nothing")
  return { report, artifact }
}

/** The key in a file: what `sandbox key` prints, the `key` of a bootstrap, or a single public JWK. Null for anything else. */
export function pinnedSandboxKey(value: JsonValue): PublicJwk | null {
  const jwk = memberOf(value, "public_jwk") ?? value
  const [kty, crv, x] = ["kty", "crv", "x"].map((name) => memberOf(jwk, name))
  const isKey = kty === "OKP" && crv === "Ed25519" && typeof x === "string" && /^[A-Za-z0-9_-]{43}$/.test(x)
  return isKey ? { kty, crv, x } : null
}
